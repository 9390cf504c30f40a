use strata_ecs::event::EntityTrigger;
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(trigger = EntityTrigger)]
struct Hit(Entity);

fn main() {
    let mut world = World::new();
    let orc = world.spawn_empty().id();
    world.trigger(Hit(orc));
}
