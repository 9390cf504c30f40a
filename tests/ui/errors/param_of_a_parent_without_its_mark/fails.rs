//! A parameter named `parent` does not silently refer to the row itself.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn put(offset: &Offset, place: &mut Place, parent: Option<&Offset>) {
    place.0 = offset.0 + parent.map_or(0.0, |parent| parent.0);
}

fn main() {
    Schedule::default().add_systems(put);
}
