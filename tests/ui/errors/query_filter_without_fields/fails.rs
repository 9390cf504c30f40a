//! The fields of a filter are the filters that must hold. Without any, it would let everything pass.
use strata_ecs::prelude::*;

#[derive(QueryFilter)]
struct Alive;

fn main() {}
