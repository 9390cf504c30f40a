//! An entity has one value of each component. Keep one of the two; for several values of a kind, make the component a list, or an entity
//! of each.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;

#[derive(Bundle)]
struct Monster {
    health: Health,
    kind: Enemy,
}

fn main() {
    let mut world = World::new();
    world.spawn((Monster { health: Health(3), kind: Enemy }, Health(4)));
}
