//! The target of an event is a field, which all values of the type have.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
enum Hit {
    Sword(Entity),
    Arrow(Entity),
}

fn main() {
    let mut world = World::new();
    let orc = world.spawn_empty().id();
    world.trigger(Hit::Sword(orc));
}
