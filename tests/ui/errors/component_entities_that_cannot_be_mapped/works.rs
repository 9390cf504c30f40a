use std::collections::HashMap;

use strata_ecs::entity::MapEntities;
use strata_ecs::prelude::*;

type Target = Entity;

struct Slot<T>(T);

#[derive(MapEntities, PartialEq, Eq, Hash)]
enum Rank {
    First,
}

#[derive(Component)]
struct Inventory {
    #[entities(ignore)]
    slot: Slot<Target>,
    ranks: HashMap<Rank, Entity>,
}

fn main() {
    let mut world = World::new();
    let owner = world.spawn_empty().id();
    world.spawn(Inventory { slot: Slot(owner), ranks: HashMap::from([(Rank::First, owner)]) });
}
