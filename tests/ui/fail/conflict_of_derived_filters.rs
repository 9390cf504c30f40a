//! Derived filters that do not exclude each other.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Component)]
struct Dead;

#[derive(QueryFilter)]
struct LivingEnemy {
    enemy: With<Enemy>,
    alive: Without<Dead>,
}
#[derive(QueryFilter)]
struct Alive(Without<Dead>);

#[system]
fn overlapping(enemies: Query<&mut Health, LivingEnemy>, all: Query<&Health, Alive>) {
    let _ = (enemies, all);
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(overlapping);
}
