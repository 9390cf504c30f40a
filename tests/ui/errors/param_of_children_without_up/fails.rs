//! Components of children are read by systems that visit children first.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn add(offset: &Offset, place: &mut Place, #[children] children: ChildRows<&Place>) {
    place.0 = offset.0 + children.map(|child| child.0).sum::<f32>();
}

fn main() {
    Schedule::default().add_systems(add);
}
