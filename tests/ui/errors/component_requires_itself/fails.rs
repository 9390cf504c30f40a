//! A required component is added where an entity lacks it. The component itself is there anyway.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
#[require(Health)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    world.spawn(Health(1));
}
