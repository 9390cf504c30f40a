//! The options of a relation say how many pairs there may be, and what becomes of one whose target is despawned.
use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(exclusiv)]
struct Hunting;

fn main() {
    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(wolf, Hunting, rabbit);
}
