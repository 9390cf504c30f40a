//! The component that names a target has a field for it.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard;

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard);
}
