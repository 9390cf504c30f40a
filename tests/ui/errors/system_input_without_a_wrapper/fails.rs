//! The type of a system says how it is given its input: by value, or by reference.
use strata_ecs::prelude::*;

fn hit(world: &mut World, id: SystemId<u32>) {
    let _ = (world, id);
}

fn main() {}
