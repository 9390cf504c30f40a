use strata_ecs::prelude::*;

struct Hit(u32);

fn main() {
    let mut world = World::new();
    world.write_message(Hit(3));
    world.commands().write_message(Hit(3));
}
