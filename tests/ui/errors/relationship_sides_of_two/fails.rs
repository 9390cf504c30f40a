//! Each of the two components names the other one, so that both sides can be kept.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Visits(Entity);

#[derive(Component)]
#[relationship_target(relationship = Visits)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
