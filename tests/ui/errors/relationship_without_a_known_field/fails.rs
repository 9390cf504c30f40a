//! If there are several fields, one holds the target. The others are created by `Default` where a library function creates the component.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard {
    ship: Entity,
    cabin: u32,
}

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard { ship, cabin: 7 });
}
