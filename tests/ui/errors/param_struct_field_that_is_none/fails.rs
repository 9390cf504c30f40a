//! Each field of a struct of parameters is fetched from the world, so each must be a parameter. Use a `Local` for data
//! that only the system needs.
use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Counter<'w, 's> {
    commands: Commands<'w, 's>,
    count: u32,
}

fn main() {}
