//! Types of other libraries as components and resources: the note says what to do with a type that cannot be given a derive.
use strata_ecs::prelude::*;

#[system]
fn heal(health: &mut u32) {
    *health += 1;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(0_u32);
    world.spawn_empty().insert(vec![1_u8]);
}
