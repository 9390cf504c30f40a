//! A command is a function of the world, or a type that implements `Command`.
use strata_ecs::prelude::*;

fn record(mut commands: Commands, entity: Entity) {
    commands.queue(entity);
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    record(world.commands(), entity);
}
