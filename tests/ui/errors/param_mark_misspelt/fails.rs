//! `#[row]` says that a parameter is of the row, `#[param]` that it is a system parameter. They are needed only where
//! the type of the parameter does not show it.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn check(health: &Health, #[params] world: &World) {
    assert!(health.0 > 0 && !world.is_empty());
}

fn main() {
    Schedule::default().add_systems(check);
}
