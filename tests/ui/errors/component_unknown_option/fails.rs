//! The options of a component are these, each of them once.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_added = |_, context| println!("hello, {}", context.entity))]
struct Player;

fn main() {
    World::new().spawn(Player);
}
