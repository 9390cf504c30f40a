//! An entity has one value of each component, so there is one column of each. Put all values into one column, or spawn twice.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    _ = world.spawn_columns((vec![Health(1)], vec![Health(2)]));
}
