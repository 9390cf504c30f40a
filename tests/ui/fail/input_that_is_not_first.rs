use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn win(mut score: ResMut<Score>, In(points): In<u32>) {
    score.0 += points;
}

fn main() {
    World::new().run_system_once_with(win, 3).unwrap();
}
