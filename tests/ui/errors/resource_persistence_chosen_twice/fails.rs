//! `transient` keeps a resource out of snapshots and files, and `save = "skip"` out of files alone: a resource is one of the two.
use strata_ecs::prelude::*;

/// Belongs to the process.
#[derive(Resource)]
#[resource(transient, save = "skip")]
struct Window(u32);

fn main() {
    World::new().insert_resource(Window(640));
}
