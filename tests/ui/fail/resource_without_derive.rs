use strata_ecs::prelude::*;

struct Score(u32);

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(1));
}
