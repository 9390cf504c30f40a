//! A command gets the world when it is applied, and nothing else.
use strata_ecs::prelude::*;

struct Restart;

fn main() {
    let mut world = World::new();
    world.commands().queue(Restart);
}
