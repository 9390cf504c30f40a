use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);

#[derive(QueryData)]
struct Protection {
    health: &'static Health,
    armour: Option<&'static Armour>,
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([(Health(3), Armour(4))]);
    let mut query = world.query::<Protection>();
    let found = query.single(&world).unwrap();
    assert_eq!(found.health.0 + found.armour.map_or(0, |armour| armour.0), 7);
}
