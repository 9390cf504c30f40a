//! The option `par` of `#[system]`.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(par = 4)]
fn with_a_value(health: &mut Health) {
    health.0 += 1;
}

#[system(par, par)]
fn twice(health: &mut Health) {
    health.0 += 1;
}

#[system(para)]
fn misspelt(health: &mut Health) {
    health.0 += 1;
}

#[system(par)]
fn of_the_world(all: Query<&Health>) {
    assert!(all.is_empty());
}

#[system(par)]
fn of_nothing() {}

fn main() {
    Schedule::default().add_systems((with_a_value, twice, misspelt, of_the_world, of_nothing));
}
