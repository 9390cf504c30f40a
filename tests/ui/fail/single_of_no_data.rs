use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(_boss: Single<Health>) {}

#[system]
fn rows(health: &mut Health, #[row] boss: Single<&Health>) {
    health.0 += boss.0;
}

fn main() {}
