//! The options of a resource are these, each of them once.
use strata_ecs::prelude::*;

#[derive(Resource)]
#[resource(transcient)]
struct Window(u32);

fn main() {
    World::new().insert_resource(Window(1));
}
