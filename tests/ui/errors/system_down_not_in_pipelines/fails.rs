//! A system that goes down a hierarchy is never part of a pipeline, so that cannot be turned off.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf, pipeline = off)]
fn place(offset: &Offset, place: &mut Place, #[parent] parent: Option<&Place>) {
    place.0 = parent.map_or(0.0, |parent| parent.0) + offset.0;
}

fn main() {
    Schedule::default().add_systems(place);
}
