//! Components of a parent are read by systems that visit parents first.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system]
fn place(offset: &Offset, place: &mut Place, #[parent] parent: Option<&Offset>) {
    place.0 = parent.map_or(0.0, |parent| parent.0) + offset.0;
}

fn main() {
    Schedule::default().add_systems(place);
}
