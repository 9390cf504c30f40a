//! The schedule calls a system without knowing what it demands, so no code could keep the promises that an `unsafe fn`
//! asks of its caller. An `unsafe` block in the body is allowed.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
unsafe fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
