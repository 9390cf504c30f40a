//! The macro tells by the name of a lifetime what it is for: `'w` is that of the world, `'s` that of what the
//! system keeps.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Board<'a> {
    score: Res<'a, Score>,
}

fn main() {}
