use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryFilter)]
struct Alive {
    health: With<Health>,
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(1));
    assert_eq!(world.query_filtered::<Entity, Alive>().iter(&world).count(), 1);
}
