//! The type of a field with `#[entities]` implements `MapEntities`. `Entity` does, and so do tuples, `Option`, `Box`, arrays and collections
//! of what does, and types with `#[derive(MapEntities)]`.
use strata_ecs::prelude::*;

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
