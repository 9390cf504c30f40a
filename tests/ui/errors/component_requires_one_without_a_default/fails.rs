//! A required component is made by `Default`, unless the requirement says which value it has.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
#[require(Health)]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
}
