//! Triggering an event for an entity requires an event with a target.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Rain;

fn main() {
    World::new().spawn_empty().trigger(|_| Rain);
}
