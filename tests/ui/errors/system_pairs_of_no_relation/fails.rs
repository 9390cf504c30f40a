//! The pairs of a relation: of a type with `#[derive(Relation)]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Speed)]
fn pursue(place: &mut Place) {
    place.0 += 1.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
