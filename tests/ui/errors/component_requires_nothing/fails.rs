//! A component names in `#[require(..)]` what an entity is to get along with it. An empty list says nothing.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require()]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
}
