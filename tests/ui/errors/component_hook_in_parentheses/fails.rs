//! The function of a hook stands behind `=`.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_remove(greet))]
struct Player;

fn main() {
    World::new().spawn(Player);
}
