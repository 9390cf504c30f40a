use strata_ecs as engine;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(crate = engine)]
struct Health(u32);

fn main() {
    let mut world = engine::World::new();
    let entity = world.spawn(Health(3)).id();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
