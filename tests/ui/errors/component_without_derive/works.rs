use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Position(1.0)).id();
    assert_eq!(world.get::<Position>(entity).unwrap().0, 1.0);
}
