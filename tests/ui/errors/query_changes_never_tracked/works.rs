use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    let mut moved = world.query_filtered::<&Position, Changed<Position>>();
    assert_eq!(moved.single(&world).unwrap().0, 1.0);
}
