//! The parameters of a system are fetched by their types, so each must be written. A system can have as many as it
//! likes.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health, _: ...) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
