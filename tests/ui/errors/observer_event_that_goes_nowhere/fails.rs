//! An event goes on from an entity along a component of it, which has to be named.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(auto_propagate)]
struct Pull(Entity);

fn main() {
    let mut world = World::new();
    let lamp = world.spawn_empty().id();
    world.trigger(Pull(lamp));
}
