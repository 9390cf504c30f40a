//! The parameters of a system are fetched by their types, so they must be written out. `_` could be any
//! type.
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
