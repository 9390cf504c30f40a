//! `simd = off` keeps the loop of a row system from being compiled for several instruction sets. A system without row
//! parameters has no such loop. In it, `for` loops over queries are compiled once anyhow, and `for_each`, `fold` and the
//! like are limited for the whole program, by the environment variable `STRATA_SIMD`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system(simd = off)]
fn heal(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn main() {
    Schedule::default().add_systems(heal);
}
