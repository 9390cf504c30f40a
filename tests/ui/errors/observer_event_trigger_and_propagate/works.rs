use strata_ecs::event::EntityTrigger;
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(trigger = EntityTrigger)]
struct Push(Entity);

fn main() {
    let mut world = World::new();
    let stone = world.spawn_empty().id();
    world.trigger(Push(stone));
}
