//! A plain function is checked like one with `#[system]`, when the program is built. `ResMut` alone is enough: it
//! reads, too.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn double(old: Res<Score>, mut new: ResMut<Score>) {
    new.0 += old.0;
}

fn main() {
    Schedule::default().add_systems(double);
}
