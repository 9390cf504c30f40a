use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);

#[system(up = ChildOf)]
fn add(offset: &Offset, place: &mut Place, #[children] children: ChildRows<&Place>) {
    place.0 = offset.0 + children.map(|child| child.0).sum::<f32>();
}

fn main() {
    let mut world = World::new();
    let root = world.spawn((Offset(1.0), Place(0.0))).id();
    world.spawn((Offset(2.0), Place(0.0), ChildOf(root)));
    world.run_system_once(add).unwrap();
}
