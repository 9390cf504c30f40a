//! The values of a system set are compared with each other, and the fields of a union cannot be.
use strata_ecs::prelude::*;

#[derive(SystemSet)]
union Physics {
    bits: u32,
}

fn main() {}
