//! While an event is told the world keeps its structure, so no observer has all of it.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Restart;

fn restart(_: On<Restart>, world: &mut World) {
    world.clear_entities();
}

fn main() {
    World::new().add_observer(restart);
}
