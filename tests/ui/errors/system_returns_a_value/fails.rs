//! The value would be lost: a schedule only asks a system whether it went well. A system returns nothing, or a
//! `Result`; to pass a value on, write it to a resource or a component.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) -> u32 {
    health.0 += 1;
    health.0
}

fn main() {
    Schedule::default().add_systems(heal);
}
