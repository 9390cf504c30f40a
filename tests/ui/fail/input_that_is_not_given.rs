use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn win(In(points): In<u32>, mut score: ResMut<Score>) {
    score.0 += points;
}

fn main() {
    Schedule::default().add_systems(win);
    World::new().run_system_once(win).unwrap();
    World::new().run_system_once_with(win, "three").unwrap();
}
