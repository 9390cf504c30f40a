//! While a system changes a resource, no other code may look at it, not even another parameter of the same system.
//! `ResMut` alone is enough: it reads, too.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[system]
fn double(old: Res<Score>, mut new: ResMut<Score>) {
    new.0 += old.0;
}

fn main() {
    Schedule::default().add_systems(double);
}
