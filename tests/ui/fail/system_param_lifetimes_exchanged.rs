use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Exchanged<'w, 's> {
    score: Res<'s, Score>,
    runs: Local<'w, u32>,
}

fn main() {}
