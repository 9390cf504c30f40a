use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(mut patients: Query<&mut Health>, healthy: Query<&Health>) {
    let most = healthy.iter().map(|health| health.0).max().unwrap_or(0);
    for mut health in &mut patients {
        health.0 = most;
    }
}

fn main() {
    Schedule::new().add_systems(heal);
}
