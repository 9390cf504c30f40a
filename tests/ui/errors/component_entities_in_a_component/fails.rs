//! A field of another component's type holds the entities that the component holds. They are mapped if that derives `MapEntities`, too.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Aim {
    at: Entity,
}

#[derive(Component)]
enum Order {
    Wait,
    Shoot(Aim),
}

fn main() {
    let mut world = World::new();
    let at = world.spawn(Order::Wait).id();
    world.spawn(Order::Shoot(Aim { at }));
}
