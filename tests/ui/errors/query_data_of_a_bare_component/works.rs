use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Place {
    entity: Entity,
    position: &'static Position,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Position(1.0)).id();
    let mut places = world.query::<Place>();
    let place = places.single(&world).unwrap();
    assert_eq!((place.entity, place.position.0), (entity, 1.0));
}
