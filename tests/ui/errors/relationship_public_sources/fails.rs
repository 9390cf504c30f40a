//! The list is kept by the library. Code that could change it could make both sides disagree.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
pub struct Crew(pub Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
