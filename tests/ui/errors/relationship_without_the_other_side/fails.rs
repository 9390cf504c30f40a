//! Each of the two components names the other one.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(allow_self_referential)]
struct Aboard(Entity);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
