//! A reference in the parameters of a system borrows a component of each row. A resource is taken as `Res` or `ResMut`.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[system]
fn count(score: &mut Score) {
    score.0 += 1;
}

fn main() {
    Schedule::default().add_systems(count);
}
