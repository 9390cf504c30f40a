//! An observer is a function, which runs for each event. This prints at once, and hands `()` on.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Open(Entity);

fn main() {
    let mut world = World::new();
    let door = world.spawn_empty().id();
    world.entity_mut(door).observe(println!("it creaks"));
}
