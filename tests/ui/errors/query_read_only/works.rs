use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn is_alive(entity: EntityRef) -> bool {
    entity.get_components::<&Health>().is_some()
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    assert!(is_alive(world.entity(entity)));
}
