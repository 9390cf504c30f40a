//! Requirements are a list: a comma stands between two of them.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);
#[derive(Component, Default)]
struct Mana(u32);

#[derive(Component)]
#[require(Health Mana)]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn(Enemy);
}
