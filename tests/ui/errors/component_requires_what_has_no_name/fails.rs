//! Each requirement begins with the name of a component, which tells what is added. A value alone does not.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require(100)]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
}
