//! A hook is named as a function is, not by a text.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add = "greet")]
struct Player;

fn main() {
    World::new().spawn(Player);
}
