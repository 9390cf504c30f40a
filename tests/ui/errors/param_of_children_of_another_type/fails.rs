//! Children are read by `ChildRows`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(up = ChildOf)]
fn add(offset: &Offset, place: &mut Place, #[children] children: Vec<u32>) {
    place.0 = offset.0;
}

fn main() {
    Schedule::default().add_systems(add);
}
