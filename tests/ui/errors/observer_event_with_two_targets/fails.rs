//! An event that is for several entities is triggered for each of them.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Clash {
    #[event_target]
    first: Entity,
    #[event_target]
    second: Entity,
}

fn main() {
    let mut world = World::new();
    let [first, second] = [(); 2].map(|()| world.spawn_empty().id());
    world.trigger(Clash { first, second });
}
