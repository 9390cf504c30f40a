use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut world = World::new();
    let entities = world.spawn_columns(vec![Position(1.0), Position(2.0)]).unwrap();
    assert_eq!(entities.len(), 2);
}
