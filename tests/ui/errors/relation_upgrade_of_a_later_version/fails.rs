//! `upgrade` converts values of older versions: the current version of the relation is not an older one.
use strata_ecs::prelude::*;

/// As it was once.
#[derive(serde::Deserialize)]
struct OldHunting(u8);

#[derive(Relation)]
#[relation(version = 2, upgrade(2 = Hunting::from_old))]
struct Hunting(u32);

impl Hunting {
    fn from_old(OldHunting(since): OldHunting) -> Self {
        Self(since.into())
    }
}

fn main() {
    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(wolf, Hunting(3), rabbit);
}
