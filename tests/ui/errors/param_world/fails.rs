//! In `#[system]` a reference borrows a component of the row, and the world is not a component. To read it, mark the parameter
//! with `#[param]`; a system that changes it needs exclusive access, so it is a plain function with no other parameter.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;

#[system]
fn census(enemies: Query<&Enemy>, world: &World) -> bool {
    enemies.count() == world.len()
}

fn main() {
    World::new().run_system_once(census).unwrap();
}
