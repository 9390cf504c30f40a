//! The entity that an event is for is in a field of it.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Hit;

fn main() {
    World::new().trigger(Hit);
}
