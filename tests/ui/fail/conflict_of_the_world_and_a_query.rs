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
    Schedule::new().add_systems(heal);
}
