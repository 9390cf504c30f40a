//! A row may have no parent, or one that lacks the component.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn place(offset: &Offset, place: &mut Place, #[parent] parent: &Place) {
    place.0 = parent.0 + offset.0;
}

fn main() {
    Schedule::default().add_systems(place);
}
