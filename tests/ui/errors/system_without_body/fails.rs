//! A system is what its body does, so a declaration without one is nothing that could run.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health);

fn main() {
    Schedule::default().add_systems(heal);
}
