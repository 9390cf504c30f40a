use strata_ecs::prelude::*;

#[derive(serde::Deserialize)]
struct Old(u8);

/// All that is wrong is said at once.
#[derive(Component)]
#[component(version = 3, upgrade(0 = from, 1 = from, 1u32 = from, 1u8 = from, 2 = from, 3 = from, 4 = from))]
struct Many(u8);

/// The version is wrong, and nothing else is.
#[derive(Component)]
#[component(version = 0, upgrade(1 = from))]
struct Zeroth(u8);

/// There is no function.
#[derive(Component)]
#[component(version = 2, upgrade = )]
struct Nothing(u8);

#[derive(Component)]
#[component(version = 2, upgrade(1 = from 2))]
struct NoList(u8);

fn from<T>(_: Old) -> T {
    unimplemented!()
}

fn main() {
    World::new().spawn((Many(0), Zeroth(0), Nothing(0), NoList(0)));
}
