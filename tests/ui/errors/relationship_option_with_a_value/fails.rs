//! `linked_spawn` and `allow_self_referential` are given or not.
use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship_target(relationship = Aboard, linked_spawn = true)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
}
