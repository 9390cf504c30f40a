//! `spawn_columns` takes all values of one component together, then all of the next: a vector for each component.
//! Entities that are given one after the other go to `spawn_batch`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut world = World::new();
    let _ = world.spawn_columns((Position(1.0), Position(2.0)));
}
