//! `down` and `up` go along a relationship: the component that names the parent.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = Offset)]
fn place(offset: &Offset, place: &mut Place) {
    place.0 = offset.0;
}

fn main() {
    Schedule::default().add_systems(place);
}
