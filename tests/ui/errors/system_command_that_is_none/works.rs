use strata_ecs::prelude::*;

fn record(mut commands: Commands, entity: Entity) {
    commands.queue(move |world: &mut World| _ = world.despawn(entity));
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    record(world.commands(), entity);
    world.flush();
}
