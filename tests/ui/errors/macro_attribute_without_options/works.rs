use strata_ecs::prelude::*;

#[derive(Component)]
struct Stunned;

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Stunned).id();
    assert!(world.entity(entity).contains::<Stunned>());
}
