use strata_ecs::entity::MapEntities;
use strata_ecs::prelude::*;

#[derive(MapEntities)]
struct Slot {
    owner: Entity,
}

#[derive(Component)]
struct Inventory {
    #[entities]
    slots: Vec<Slot>,
}

fn main() {
    let mut world = World::new();
    let owner = world.spawn_empty().id();
    world.spawn(Inventory { slots: vec![Slot { owner }] });
}
