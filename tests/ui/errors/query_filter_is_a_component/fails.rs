//! A filter is a condition: that an entity has a component (`With<Enemy>`) or lacks it (`Without<Enemy>`). The
//! component alone does not say which of the two.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;

fn main() {
    World::new().query_filtered::<&Health, Enemy>();
}
