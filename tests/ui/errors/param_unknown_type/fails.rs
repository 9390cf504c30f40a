//! What a system gets is found by the types of its parameters, so they are written out. Nothing tells what `_` would
//! be.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut patients: Query<_>) {
    for mut health in &mut patients {
        health.0 += 1;
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
