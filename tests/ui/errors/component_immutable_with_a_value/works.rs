use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Parent(Entity);

fn main() {
    let mut world = World::new();
    let parent = world.spawn_empty().id();
    world.spawn(Parent(parent));
}
