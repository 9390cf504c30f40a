//! A value that no return type speaks of: rustc's help stands behind the parameters, as for any function.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
    health.0
}

#[system]
fn count(all: Query<&Health>) {
    all.iter().count()
}

#[system]
fn check(health: &Health) {
    if health.0 == 0 {
        return Err("dead".into());
    }
}

fn main() {}
