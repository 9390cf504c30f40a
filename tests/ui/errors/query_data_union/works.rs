use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryData)]
struct Vitals {
    health: &'static Health,
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(3));
    let mut query = world.query::<Vitals>();
    assert_eq!(query.single(&world).unwrap().health.0, 3);
}
