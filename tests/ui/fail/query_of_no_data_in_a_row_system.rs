use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Target;

#[system]
fn heal(health: &mut Health, _targets: Query<Target>) {
    health.0 += 1;
}

#[system]
fn aim(_health: &Health, _targets: Lookup<Target>) {}

fn main() {}
