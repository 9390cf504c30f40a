//! An observer of an entity is told of events that are for this entity.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Rain;

fn get_wet(_: On<Rain>) {}

fn main() {
    World::new().spawn_empty().observe(get_wet);
}
