//! Versions are counted from 1 on: that is the version of a component whose definition says none.
use strata_ecs::prelude::*;

/// As it was once.
#[derive(serde::Deserialize)]
struct OldHealth(u8);

#[derive(Component)]
#[component(version = 2, upgrade(0 = Health::from_old))]
struct Health(u32);

impl Health {
    fn from_old(OldHealth(left): OldHealth) -> Self {
        Self(left.into())
    }
}

fn main() {
    World::new().spawn(Health(3));
}
