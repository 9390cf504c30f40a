use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;

fn main() {
    let mut world = World::new();
    world.spawn_batch([(Health(3), Enemy)]);
    world.spawn(Health(5));
    let mut query = world.query_filtered::<&Health, With<Enemy>>();
    assert_eq!(query.single(&world).unwrap().0, 3);
}
