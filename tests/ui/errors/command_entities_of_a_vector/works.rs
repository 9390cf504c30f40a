use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..3).map(|_| world.spawn_empty().id()).collect();
    assert_eq!(world.entity_mut(&ids[..]).len(), 3);
}
