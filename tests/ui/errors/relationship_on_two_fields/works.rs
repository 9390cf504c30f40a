use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard(Entity);

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    world.spawn(Aboard(ship));
    assert_eq!(world.get::<Crew>(ship).unwrap().iter().count(), 1);
}
