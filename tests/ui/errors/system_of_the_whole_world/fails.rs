//! A function with the only parameter `&mut World` has the world to itself. There is nothing that the attribute
//! could add.
use strata_ecs::prelude::*;

#[system]
fn restart(world: &mut World) {
    world.clear_entities();
}

fn main() {
    Schedule::default().add_systems(restart);
}
