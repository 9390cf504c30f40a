//! A plain function is checked like one with `#[system]`, when the program is built; `cargo check` does not find it.
//! Without the attribute the message cannot know the names, so it counts the parameters.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Healer;

fn heal(mut patients: Query<&mut Health>, healers: Query<&Health, With<Healer>>) {
    let most = healers.iter().map(|health| health.0).max().unwrap_or(0);
    for mut health in &mut patients {
        health.0 = health.0.max(most);
    }
}

fn main() {
    Schedule::default().add_systems(heal);
}
