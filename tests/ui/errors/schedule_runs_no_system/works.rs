use strata_ecs::prelude::*;

fn greet() {}

fn main() {
    let mut world = World::new();
    world.run_system_once(greet).unwrap();
}
