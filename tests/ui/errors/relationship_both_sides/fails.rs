//! A relationship has two components: one names the target, and the other lists those that do.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
#[relationship_target(relationship = Aboard)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
