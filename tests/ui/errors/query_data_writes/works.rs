use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
#[query_data(mutable)]
struct Mover {
    position: &'static mut Position,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Position(1.0)).id();
    for mut mover in world.query::<Mover>().iter_mut(&mut world) {
        mover.position.0 += 1.0;
    }
    assert_eq!(world.get::<Position>(entity).unwrap().0, 2.0);
}
