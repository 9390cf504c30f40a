//! Nothing tells which field of a union there is, so nothing can drop it.
use strata_ecs::prelude::*;

#[derive(Relation)]
union Bits {
    whole: u32,
    bytes: [u8; 4],
}

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Bits { whole: 3 }, b);
}
