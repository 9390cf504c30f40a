//! The fields of the variants are what the query borrows. If no variant has any, it borrows nothing.
use strata_ecs::prelude::*;

#[derive(QueryData)]
enum Target {
    Shielded,
    Naked,
}

fn main() {}
