//! An observer of an entity runs for events that have this entity as target.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Rain;

fn get_wet(_: On<Rain>) {}

fn main() {
    World::new().spawn_empty().observe(get_wet);
}
