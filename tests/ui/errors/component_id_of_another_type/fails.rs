//! A component without its type is found by its `ComponentId`, and several by an array, a slice or a set of ids.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    assert!(world.entity(entity).get_by_id(0).is_ok());
}
