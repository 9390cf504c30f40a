//! The attribute says which field it is, and there is nothing else to say.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Hit {
    #[event_target(first)]
    orc: Entity,
    damage: u32,
}

fn main() {
    let mut world = World::new();
    let orc = world.spawn_empty().id();
    world.trigger(Hit { orc, damage: 1 });
}
