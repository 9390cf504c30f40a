//! The other component of a relationship says so, too: it lists the entities that name it.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard(Entity);

#[derive(Component)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn(Crew(Vec::new())).id();
    world.spawn(Aboard(ship));
}
