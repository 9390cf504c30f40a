//! The event that an observer observes is its first parameter.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[observer]
fn hurt(health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    World::new().add_observer(hurt);
}
