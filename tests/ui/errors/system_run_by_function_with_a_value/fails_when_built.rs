//! A system that is run by its function is known by the type of the function. A closure that has caught something has the same
//! type whatever it has caught.
use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let bonus = 3;
    world.run_system_cached(move || bonus).unwrap();
}
