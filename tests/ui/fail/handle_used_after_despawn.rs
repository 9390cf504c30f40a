use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1));
    entity.despawn();
    entity.id();
}
