//! For each older version there is one function.
use strata_ecs::prelude::*;

/// As it was once.
#[derive(serde::Deserialize)]
struct OldHealth(u8);

#[derive(Component)]
#[component(version = 3, upgrade(1 = Health::from_old, 1 = Health::from_old))]
struct Health(u32);

impl Health {
    fn from_old(OldHealth(left): OldHealth) -> Self {
        Self(left.into())
    }
}

fn main() {
    World::new().spawn(Health(3));
}
