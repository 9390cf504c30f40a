//! Storage and the other options are properties of the component as a whole, so the attribute stands above the type.
//! On a field or a variant nothing would read it.
use strata_ecs::prelude::*;

#[derive(Component)]
enum Effect {
    Burning,
    #[component(storage = "sparse")]
    Frozen,
}

fn main() {
    World::new().spawn_batch([Effect::Burning, Effect::Frozen]);
}
