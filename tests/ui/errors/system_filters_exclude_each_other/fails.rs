//! `without` leaves out every entity that has the component, and here only entities that have it are asked for. So
//! the system would never run for any row.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Poisoned;

#[system(with(Poisoned), without(Poisoned))]
fn suffer(health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    Schedule::default().add_systems(suffer);
}
