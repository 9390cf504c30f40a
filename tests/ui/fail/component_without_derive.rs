use strata_ecs::prelude::*;

struct Position(f32);

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
}
