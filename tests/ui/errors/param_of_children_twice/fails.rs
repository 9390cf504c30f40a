//! A system has one parameter for children, which may give several components.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(up = ChildOf)]
fn add(place: &mut Place, #[children] places: ChildRows<&Place>, #[children] offsets: ChildRows<&Offset>) {
    place.0 = places.zip(offsets).map(|(place, offset)| place.0 + offset.0).sum();
}

fn main() {
    Schedule::default().add_systems(add);
}
