//! The query would reach the very component that the row has borrowed mutably. Let it see other entities only, by
//! filters that exclude each other, or read in a system before what this one needs.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Healer;

#[system]
fn heal(health: &mut Health, healers: Query<&Health>) {
    health.0 += healers.iter().map(|healer| healer.0).sum::<u32>();
}

fn main() {
    Schedule::default().add_systems(heal);
}
