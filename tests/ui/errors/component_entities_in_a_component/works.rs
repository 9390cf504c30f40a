use strata_ecs::entity::MapEntities;
use strata_ecs::prelude::*;

#[derive(Component, MapEntities)]
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
