use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(propagate = ())]
struct Pull(Entity);

fn main() {
    let mut world = World::new();
    let lamp = world.spawn_empty().id();
    world.trigger(Pull(lamp));
}
