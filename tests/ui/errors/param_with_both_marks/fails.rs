//! A parameter is different for each row (`#[row]`) or the same for all of them (`#[param]`), and cannot be both.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn check(health: &Health, #[row] #[param] world: &World) {
    assert!(health.0 > 0 && !world.is_empty());
}

fn main() {
    Schedule::default().add_systems(check);
}
