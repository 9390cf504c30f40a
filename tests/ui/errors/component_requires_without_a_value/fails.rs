//! Behind `=` stands the expression that makes the value. Without one, leave `=` out: the value is the default
//! then.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require(Health =)]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
}
