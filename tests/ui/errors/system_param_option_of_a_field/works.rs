use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Scores<'w> {
    #[system_param(validation_message = "insert a score first")]
    score: Res<'w, Score>,
}

fn points(scores: Scores) -> u32 {
    scores.score.0
}

fn main() {
    let mut world = World::new();
    let error = world.run_system_once(points).unwrap_err().to_string();
    assert!(error.contains("Parameter `Scores::score` failed validation: insert a score first"));
    world.insert_resource(Score(3));
    assert_eq!(world.run_system_once(points).unwrap(), 3);
}
