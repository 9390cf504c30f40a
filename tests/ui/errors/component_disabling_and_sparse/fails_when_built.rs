//! Queries ask tables whether to pass over their entities, so what disables an entity must be in its table.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "sparse")]
struct Prefab;

fn main() {
    let mut world = World::new();
    world.register_disabling_component::<Prefab>();
}
