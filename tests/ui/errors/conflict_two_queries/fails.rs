//! While a system changes a component, no other code may look at it, not even another parameter of the same system. If
//! the queries are for different entities, say so with filters that exclude each other.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Healer;

#[system]
fn heal(mut patients: Query<&mut Health>, healers: Query<&Health, With<Healer>>) {
    let most = healers.iter().map(|health| health.0).max().unwrap_or(0);
    for mut health in &mut patients {
        health.0 = health.0.max(most);
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
