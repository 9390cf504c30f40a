//! The target is an entity: nothing else can be linked.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard(u32);

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    World::new().spawn(Aboard(7));
}
