use strata_ecs::prelude::*;

#[derive(Component)]
#[component(clone)]
struct Connection;

#[derive(Component)]
#[component(clone, storage = "sparse")]
struct Generic<T>(T);

#[derive(Clone, Component)]
#[component(clone)]
struct Fine<T>(T);

fn main() {
    let mut world = World::new();
    world.spawn(Fine(1));
    world.spawn(Fine(Connection));
    world.spawn(Generic(1));
}
