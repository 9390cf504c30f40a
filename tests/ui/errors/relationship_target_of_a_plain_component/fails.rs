//! The other component of a relationship says so, too: it names its target.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
