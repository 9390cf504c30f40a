//! States are compared with each other, and the fields of a union cannot be.
use strata_app::prelude::*;

#[derive(States)]
union Level {
    number: u32,
}

fn main() {}
