use strata_ecs::prelude::*;

#[derive(Component)]
#[relationship(relationship_target = Crew)]
struct Aboard {
    #[relationship]
    ship: Entity,
    cabin: u32,
}

#[derive(Component)]
#[relationship_target(relationship = Aboard)]
struct Crew(Vec<Entity>);

fn main() {
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    let cook = world.spawn(Aboard { ship, cabin: 7 }).id();
    assert_eq!(world.get::<Aboard>(cook).unwrap().cabin, 7);
    assert_eq!(world.get::<Crew>(ship).unwrap().iter().count(), 1);
}
