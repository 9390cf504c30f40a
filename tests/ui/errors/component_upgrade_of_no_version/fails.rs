//! `upgrade` makes values of those of older versions, so the version of the component is not the first one.
use strata_ecs::prelude::*;

/// As it was once.
#[derive(serde::Deserialize)]
struct OldHealth(u8);

#[derive(Component)]
#[component(upgrade = |OldHealth(left)| Health(left.into()))]
struct Health(u32);

fn main() {
    World::new().spawn(Health(3));
}
