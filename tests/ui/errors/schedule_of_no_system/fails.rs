//! A schedule takes functions whose parameters come from the world. State of a system is a `Local`, and input from
//! others is a resource.
use strata_ecs::prelude::*;

fn spawn_enemies(count: u32) {
    assert!(count > 0);
}

fn main() {
    Schedule::default().add_systems(spawn_enemies);
}
