use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Boss;

#[system]
fn drain(health: &mut Health, boss: Single<&mut Health, With<Boss>>) {
    health.0 -= boss.0;
}

#[system]
fn count(boss: Single<&Health, With<Boss>>, all: Populated<&mut Health>) {
    let _ = (boss.0, all.count());
}

#[system]
fn apart(boss: Single<&mut Health, With<Boss>>, all: Populated<&mut Health, Without<Boss>>) {
    let _ = (boss.0, all.count());
}

fn main() {}
