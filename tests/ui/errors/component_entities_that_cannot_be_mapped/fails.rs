//! A field whose type mentions entities, also by another name, is mapped when a world is loaded or entities are cloned. If its type cannot be
//! mapped, derive `MapEntities` for the types in it that are yours, or keep its entities as they are with `#[entities(ignore)]`.
use std::collections::HashMap;

use strata_ecs::prelude::*;

type Target = Entity;

struct Slot<T>(T);

#[derive(PartialEq, Eq, Hash)]
enum Rank {
    First,
}

#[derive(Component)]
struct Inventory {
    slot: Slot<Target>,
    ranks: HashMap<Rank, Entity>,
}

fn main() {
    let mut world = World::new();
    let owner = world.spawn_empty().id();
    world.spawn(Inventory { slot: Slot(owner), ranks: HashMap::from([(Rank::First, owner)]) });
}
