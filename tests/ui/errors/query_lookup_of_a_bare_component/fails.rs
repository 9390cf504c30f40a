//! A `Lookup` takes the terms of a query that only reads: `&Health`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Target(Entity);

#[system]
fn aim(_target: &Target, _healths: Lookup<Health>) {}

fn main() {}
