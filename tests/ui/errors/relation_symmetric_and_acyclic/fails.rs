//! A pair of a symmetric relation leads from each of its entities to the other one: that is a circle.
use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(symmetric, acyclic)]
struct Touches;

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Touches, b);
}
