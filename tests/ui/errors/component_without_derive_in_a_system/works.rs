use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn movement(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Position(1.0)).id();
    world.run_system_once(movement).unwrap();
    assert_eq!(world.get::<Position>(entity).unwrap().0, 2.0);
}
