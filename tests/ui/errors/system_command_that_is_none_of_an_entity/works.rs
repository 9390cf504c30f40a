use strata_ecs::prelude::*;

fn record(mut commands: Commands, entity: Entity) {
    commands.entity(entity).queue(|entity: EntityWorldMut<'_>| entity.despawn());
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    record(world.commands(), entity);
    world.flush();
}
