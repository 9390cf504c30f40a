//! `run_system_once` takes a function whose parameters come from the world, and not what the function returns: leave
//! the parentheses out.
use strata_ecs::prelude::*;

fn greet() {}

fn main() {
    let mut world = World::new();
    world.run_system_once(greet()).unwrap();
}
