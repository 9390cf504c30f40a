use strata_ecs::prelude::*;

/// Belongs to the process.
#[derive(Resource)]
#[resource(transient)]
struct Window(u32);

fn main() {
    let mut world = World::new();
    world.insert_resource(Window(640));
    assert!(world.snapshot().is_ok());
}
