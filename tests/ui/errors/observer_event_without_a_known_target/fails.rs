//! If there are several fields, the derive uses the one that is called `entity`, or that is marked.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Throw {
    stone: Entity,
    at: Entity,
}

fn main() {
    let mut world = World::new();
    let [stone, at] = [(); 2].map(|()| world.spawn_empty().id());
    world.trigger(Throw { stone, at });
}
