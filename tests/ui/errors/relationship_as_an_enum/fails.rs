//! One field of the component holds the target. The other variants of an enum would have no target.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
enum Aboard {
    Ship(Entity),
}

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard::Ship(ship));
}
