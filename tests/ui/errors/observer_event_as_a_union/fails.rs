//! When an event has been told it is dropped, and of a union it cannot be known which field to drop.
use strata_ecs::prelude::*;

#[derive(Event)]
union Alarm {
    level: u32,
    volume: f32,
}

fn main() {
    World::new().trigger(Alarm { level: 1 });
}
