//! The type of a system says how it is given its input: by value, or by reference.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct OnHit(SystemId<u32>);

fn main() {}
