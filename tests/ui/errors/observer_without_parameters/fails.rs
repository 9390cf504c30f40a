//! An observer is told of something, even if it does not look at it.
use strata_ecs::prelude::*;

#[observer]
fn greet() {
    println!("hello");
}

fn main() {
    World::new().add_observer(greet);
}
