//! All fields of a filter must hold, and a union has only one at a time.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryFilter)]
union Alive {
    health: std::mem::ManuallyDrop<With<Health>>,
}

fn main() {}
