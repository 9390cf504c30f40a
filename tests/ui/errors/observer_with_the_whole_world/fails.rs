//! The structure of the world cannot change while an event is dispatched, so no observer gets exclusive access to the world.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Restart;

fn restart(_: On<Restart>, world: &mut World) {
    world.clear_entities();
}

fn main() {
    World::new().add_observer(restart);
}
