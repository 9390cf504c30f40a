//! A pair has one value.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, hunting: &Hunting, again: &mut Hunting) {
    let _ = (hunting, again);
    speed.0 += 1.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
