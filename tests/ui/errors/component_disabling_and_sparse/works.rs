use strata_ecs::prelude::*;

#[derive(Component)]
struct Prefab;

fn main() {
    let mut world = World::new();
    world.register_disabling_component::<Prefab>();
}
