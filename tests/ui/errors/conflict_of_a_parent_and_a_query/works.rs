use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(down = ChildOf)]
fn place(offset: &mut Offset, #[parent] parent: Option<&Place>, places: Query<&Place>) {
    offset.0 = parent.map_or(0.0, |parent| parent.0) + places.count() as f32;
}

fn main() {
    let mut world = World::new();
    let root = world.spawn((Offset(1.0), Place(0.0))).id();
    world.spawn((Offset(2.0), Place(0.0), ChildOf(root)));
    world.run_system_once(place).unwrap();
}
