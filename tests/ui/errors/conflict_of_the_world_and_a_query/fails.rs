//! `&World` may read everything, so beside it nothing can be borrowed mutably. Take a query or a resource for what is
//! needed, or make changes with `Commands`.
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
