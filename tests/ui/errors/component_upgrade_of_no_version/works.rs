use strata_ecs::prelude::*;

/// As it was once.
#[derive(serde::Deserialize)]
struct OldHealth(u8);

#[derive(Component)]
#[component(version = 2, upgrade = |OldHealth(left)| Health(left.into()))]
struct Health(u32);

fn main() {
    World::new().spawn(Health(3));
}
