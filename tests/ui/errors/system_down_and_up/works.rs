use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn place(offset: &Offset, place: &mut Place, #[parent] parent: Option<&Place>) {
    place.0 = parent.map_or(0.0, |parent| parent.0) + offset.0;
}

fn main() {
    let mut world = World::new();
    let root = world.spawn((Offset(1.0), Place(0.0))).id();
    world.spawn((Offset(2.0), Place(0.0), ChildOf(root)));
    world.run_system_once(place).unwrap();
}
