//! All fields of a struct of parameters are fetched together. Which variant of an enum is meant would be open.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
enum Board<'w> {
    Score(Res<'w, Score>),
    Nothing,
}

fn main() {}
