//! `immutable` is a flag: a component without it is mutable.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable = true)]
struct Parent(Entity);

fn main() {
    let mut world = World::new();
    let parent = world.spawn_empty().id();
    world.spawn(Parent(parent));
}
