//! The target of an event is an `Entity`, or a value that says to which entity it belongs.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Hit {
    entity: u32,
}

fn main() {}
