use strata_ecs::prelude::*;

#[derive(QueryData)]
struct Anything {
    entity: Entity,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    let mut query = world.query::<Anything>();
    assert_eq!(query.single(&world).unwrap().entity, entity);
}
