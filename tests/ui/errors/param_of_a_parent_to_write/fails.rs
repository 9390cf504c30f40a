//! A parent has been visited already when its children are: what it has is read.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn place(offset: &Offset, place: &mut Place, #[parent] parent: Option<&mut Place>) {
    place.0 = parent.map_or(0.0, |parent| parent.0) + offset.0;
}

fn main() {
    Schedule::default().add_systems(place);
}
