//! A resource stays in the world until it is removed, which the borrow checker cannot follow, so it may not borrow
//! anything. Store the value itself.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Level<'a> {
    map: &'a [u8],
}

fn main() {
    World::new().insert_resource(Level { map: &[0, 1, 1, 0] });
}
