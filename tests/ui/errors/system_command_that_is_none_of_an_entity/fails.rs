//! A command for an entity is a function of `EntityWorldMut`, or a type that implements `EntityCommand`.
use strata_ecs::prelude::*;

fn record(mut commands: Commands, entity: Entity) {
    commands.entity(entity).queue(entity);
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    record(world.commands(), entity);
}
