//! A system visits parents before their children (`down`), or children before their parents (`up`).
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf, up = ChildOf)]
fn place(offset: &Offset, place: &mut Place) {
    place.0 = offset.0;
}

fn main() {
    Schedule::default().add_systems(place);
}
