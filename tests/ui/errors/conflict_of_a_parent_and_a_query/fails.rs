//! A query of the same system may not change what is read of parents.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn place(offset: &mut Offset, #[parent] parent: Option<&Place>, mut places: Query<&mut Place>) {
    offset.0 = parent.map_or(0.0, |parent| parent.0);
    places.iter_mut().for_each(|mut place| place.0 = 0.0);
}

fn main() {
    Schedule::default().add_systems(place);
}
