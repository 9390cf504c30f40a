//! A filter only says which components an entity must have or lack. It holds nothing that could be borrowed.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryFilter)]
struct Alive<'a> {
    health: With<Health>,
    name: &'a str,
}

fn main() {}
