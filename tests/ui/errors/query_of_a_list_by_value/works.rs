use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let ids = vec![world.spawn_empty().id()];
    assert_eq!(world.entity(&ids[..]).len(), 1);
}
