//! `&World` may read everything, so nothing else can be borrowed mutably. Use a query or a resource for the data that
//! you need, or make changes with `Commands`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut patients: Query<&mut Health>, #[param] world: &World) {
    for mut health in &mut patients {
        health.0 += world.len() as u32;
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
