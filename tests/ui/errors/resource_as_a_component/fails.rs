//! A resource belongs to the world, a component to an entity. What has `#[derive(Resource)]` is inserted by `insert_resource`.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn main() {
    World::new().spawn(Score(1));
}
