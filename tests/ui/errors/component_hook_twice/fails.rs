//! A component has one hook of each kind. What else is to happen, an observer does.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add = |_, context| println!("hello, {}", context.entity))]
#[component(on_add = |world, _| println!("{} are here", world.len()))]
struct Player;

fn main() {
    World::new().spawn(Player);
}
