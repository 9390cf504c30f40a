//! The component along which an event goes on says where to.
use strata_ecs::prelude::*;

#[derive(Component)]
struct HangsOn(Entity);

#[derive(EntityEvent)]
#[entity_event(propagate = &'static HangsOn)]
struct Pull(Entity);

fn main() {
    let mut world = World::new();
    let lamp = world.spawn_empty().id();
    world.trigger(Pull(lamp));
}
