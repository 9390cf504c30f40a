//! An entity has one value of a component, so a component is required once, with one value.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require(Health, Health(5))]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
}
