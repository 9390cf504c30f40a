//! A command for an entity gets the entity when it is applied, with its world, and nothing else.
use strata_ecs::prelude::*;

struct Heal(u32);

fn main() {
    let mut world = World::new();
    world.commands().spawn_empty().queue(Heal(3));
}
