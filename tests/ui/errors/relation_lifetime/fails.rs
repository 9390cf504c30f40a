//! A world owns the values of its pairs. The two entities are not part of a value.
use strata_ecs::prelude::*;

#[derive(Relation)]
struct Calls<'a>(&'a str);

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Calls("Rex"), b);
}
