//! `contiguous` says which slices get the names of the fields: those of the struct itself, `mutable`; those of its read-only form,
//! `immutable`; or `all`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryData)]
#[query_data(mutable, contiguous)]
struct Patient {
    health: &'static mut Health,
}

fn main() {
    World::new().query::<Patient>();
}
