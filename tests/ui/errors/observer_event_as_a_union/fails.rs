//! An event is dropped after it has been dispatched, and it is unknown which field of a union to drop.
use strata_ecs::prelude::*;

#[derive(Event)]
union Alarm {
    level: u32,
    volume: f32,
}

fn main() {
    World::new().trigger(Alarm { level: 1 });
}
