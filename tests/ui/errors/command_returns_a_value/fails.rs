//! The result of a command is handled when it is applied, long after it was recorded: no caller is left to receive a value.
use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    world.commands().queue(|world: &mut World| world.len());
}
