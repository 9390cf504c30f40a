//! `World::entity` borrows what it is asked for: an entity, an array, a slice or a set.
use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..3).map(|_| world.spawn_empty().id()).collect();
    world.entity_mut(ids);
}
