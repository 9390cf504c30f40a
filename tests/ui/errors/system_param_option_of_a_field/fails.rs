//! The options of a type stand above the type. Above a field stands what the error says if this field cannot be fetched.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Scores<'w> {
    #[system_param(message = "insert a score first")]
    score: Res<'w, Score>,
}

fn main() {}
