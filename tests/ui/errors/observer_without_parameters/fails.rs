//! An observer observes an event, even if it does not read it.
use strata_ecs::prelude::*;

#[observer]
fn greet() {
    println!("hello");
}

fn main() {
    World::new().add_observer(greet);
}
