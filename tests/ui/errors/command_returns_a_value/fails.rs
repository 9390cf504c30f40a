//! What a command returns is looked at when it is applied, long after it was recorded: there is no caller that could have a value.
use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    world.commands().queue(|world: &mut World| world.len());
}
