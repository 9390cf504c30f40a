//! A hook without a function is the associated function of its name.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add)]
struct Player;

fn main() {
    World::new().spawn(Player);
}
