//! A schedule takes functions whose parameters come from the world. What a system counts or remembers for itself is a
//! `Local`, and what others give it is a resource.
use strata_ecs::prelude::*;

fn spawn_enemies(count: u32) {
    assert!(count > 0);
}

fn main() {
    Schedule::default().add_systems(spawn_enemies);
}
