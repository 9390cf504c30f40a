//! `down` and `up` are orders in which rows are visited; a system without row parameters runs once.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn place(mut places: Query<(&Offset, &mut Place)>) {
    places.iter_mut().for_each(|(offset, mut place)| place.0 = offset.0);
}

fn main() {
    Schedule::default().add_systems(place);
}
