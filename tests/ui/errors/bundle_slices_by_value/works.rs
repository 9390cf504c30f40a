use strata_ecs::prelude::*;

#[derive(Component, Clone)]
struct Speed(f32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    let speeds = vec![Speed(2.0)];
    world.all::<()>().insert_columns(&speeds[..]).unwrap();
    assert_eq!(world.get::<Speed>(entity).unwrap().0, 2.0);
}
