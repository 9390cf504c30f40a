//! With `&World` or `EntityRef` in hand others may read the same components at the same time, so nothing may be
//! changed there. Ask for `&Health`, or take the world or the entity mutably.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn is_alive(entity: EntityRef) -> bool {
    entity.get_components::<&mut Health>().is_some()
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    assert!(is_alive(world.entity(entity)));
}
