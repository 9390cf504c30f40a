//! Which fields of a union have a value is known nowhere, so the entities inside of it cannot be exchanged for others.
use strata_ecs::entity::MapEntities;
use strata_ecs::prelude::*;

#[derive(MapEntities)]
union Target {
    entity: Entity,
    bits: u64,
}

fn main() {
    let target = Target { bits: 0 };
    // SAFETY: eight bytes have been written.
    println!("{}", unsafe { target.bits });
    let _ = Target { entity: World::new().spawn_empty().id() };
}
