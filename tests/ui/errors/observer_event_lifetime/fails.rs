//! An event may wait as a command, and observers are found by its `TypeId`, which only types have that borrow nothing.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Said<'a>(&'a str);

fn main() {
    World::new().trigger(Said("hello"));
}
