use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
struct Score(u32);

#[system]
fn add(a: &A, mut score: ResMut<Score>) {
    score.0 += u32::from(a.0);
}

fn main() {
    Schedule::default().add_systems(add);
}
