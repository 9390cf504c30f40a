//! What triggers an event for an entity needs one that has a target.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Rain;

fn main() {
    World::new().spawn_empty().trigger(|_| Rain);
}
