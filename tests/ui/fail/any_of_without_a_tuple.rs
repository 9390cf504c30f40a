//! The members of `AnyOf` are a tuple.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(query: Query<AnyOf<&Health>>) {
    let _ = query;
}

fn main() {
    World::new().run_system_once(heal).unwrap();
}
