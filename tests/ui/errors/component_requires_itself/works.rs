use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 1);
}
