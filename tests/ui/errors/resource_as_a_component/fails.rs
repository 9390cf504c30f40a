//! A resource belongs to the world, a component to an entity. A type with `#[derive(Resource)]` is inserted with `insert_resource`.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn main() {
    World::new().spawn(Score(1));
}
