//! The options `simd = off` and `pipeline = off` of `#[system]`.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(simd)]
fn alone(health: &mut Health) {
    health.0 += 1;
}

#[system(simd(off))]
fn as_a_list(health: &mut Health) {
    health.0 += 1;
}

#[system(simd = )]
fn without_a_value(health: &mut Health) {
    health.0 += 1;
}

#[system(simd = "off")]
fn in_quotes(health: &mut Health) {
    health.0 += 1;
}

#[system(simd = avx2)]
fn of_another_value(health: &mut Health) {
    health.0 += 1;
}

#[system(pipeline = false)]
fn of_a_bool(health: &mut Health) {
    health.0 += 1;
}

#[system(pipeline = off, simd = off, pipeline = off)]
fn twice(health: &mut Health) {
    health.0 += 1;
}

#[system(pipelines = off)]
fn misspelt(health: &mut Health) {
    health.0 += 1;
}

#[system(simd = off, pipeline = off)]
fn of_the_world(all: Query<&Health>) {
    assert!(all.is_empty());
}

#[system(simd = off)]
fn of_nothing() {}

fn main() {
    Schedule::default().add_systems((alone, as_a_list, without_a_value, in_quotes, of_another_value));
    Schedule::default().add_systems((of_a_bool, twice, misspelt, of_the_world, of_nothing));
}
