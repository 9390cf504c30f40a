use strata_ecs::entity::EntityHashSet;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let ids: EntityHashSet = world.spawn_batch([Health(1), Health(2)]).collect();
    let mut query = world.query::<&mut Health>();
    let mut query = query.query_mut(&mut world);
    query.iter_many_unique_mut(&ids).matched().for_each(|mut health| health.0 += 1);
    assert_eq!(query.iter().map(|health| health.0).sum::<u32>(), 5);
}
