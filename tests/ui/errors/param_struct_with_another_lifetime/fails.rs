//! The name of a lifetime determines its meaning: `'w` is the lifetime of borrows from the world, `'s` the lifetime of
//! borrows from the system's state.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Board<'a> {
    score: Res<'a, Score>,
}

fn main() {}
