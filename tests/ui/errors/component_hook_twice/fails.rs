//! A component has at most one hook of each kind. For further reactions use observers.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add = |_, context| println!("hello, {}", context.entity))]
#[component(on_add = |world, _| println!("{} are here", world.len()))]
struct Player;

fn main() {
    World::new().spawn(Player);
}
