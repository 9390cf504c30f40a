//! Each field of a struct of parameters is fetched from the world, so each must be a parameter. What only the
//! system needs is a `Local`.
use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Counter<'w, 's> {
    commands: Commands<'w, 's>,
    count: u32,
}

fn main() {}
