//! `World::entity` and `World::entity_mut` take an entity, or several in an array, a slice or a set.
use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let ids = vec![world.spawn_empty().id()];
    assert_eq!(world.entity(ids).len(), 1);
}
