//! An entity is linked to one target. To link it to another one in another way, take another relationship.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard {
    #[relationship]
    ship: Entity,
    #[relationship]
    fleet: Entity,
}

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard { ship, fleet: ship });
}
