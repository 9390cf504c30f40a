//! A query enum yields the first variant that an entity matches. Without variants, no entity matches.
use strata_ecs::prelude::*;

#[derive(QueryData)]
enum Target {}

fn main() {}
