//! `insert_columns` on a selection reads a slice of components for the selected entities and clones its values.
//! Borrow the vector as a slice.
use strata_ecs::prelude::*;

#[derive(Component, Clone)]
struct Speed(f32);

fn main() {
    let mut world = World::new();
    world.spawn_empty();
    let speeds = vec![Speed(2.0)];
    let _ = world.all::<()>().insert_columns(speeds);
}
