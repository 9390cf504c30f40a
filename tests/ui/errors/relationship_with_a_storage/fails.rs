//! The components that link entities are stored outside of the tables, so that linking and unlinking moves no entity.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "table")]
#[relationship(relationship_target = Crew)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
