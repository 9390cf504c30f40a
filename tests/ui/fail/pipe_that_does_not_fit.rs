use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn points() -> u32 {
    3
}

fn without_an_input(mut score: ResMut<Score>) {
    score.0 += 1;
}

fn of_another_type(In(points): In<String>, mut score: ResMut<Score>) {
    score.0 += points.len() as u32;
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(points.pipe(without_an_input));
    schedule.add_systems(points.pipe(of_another_type));
}
