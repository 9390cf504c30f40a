//! A pair has a value whose type is a relation.
use strata_ecs::prelude::*;

struct Hunting;

fn main() {
    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(wolf, Hunting, rabbit);
}
