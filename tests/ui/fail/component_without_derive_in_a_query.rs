use strata_ecs::prelude::*;

struct Position(f32);

fn main() {
    let mut world = World::new();
    let mut query = world.query::<&Position>();
    assert!(query.is_empty(&world));
}
