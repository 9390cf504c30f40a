//! A system over pairs is never part of a pipeline, so that cannot be turned off.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting, pipeline = off)]
fn pursue(place: &mut Place) {
    place.0 += 1.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
