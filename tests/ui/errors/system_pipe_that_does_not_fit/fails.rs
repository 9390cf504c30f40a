//! The output of the first system is the input of the second one, so the types must agree.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Total(u32);

fn points() -> u32 {
    3
}

fn add(mut total: ResMut<Total>) {
    total.0 += 1;
}

fn main() {
    Schedule::default().add_systems(points.pipe(add));
}
