use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(QueryData)]
#[query_data(mutable, contiguous(all))]
struct Patient {
    health: &'static mut Health,
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Health(1), Health(2)]);
    for patients in world.query::<Patient>().contiguous_iter_mut(&mut world) {
        patients.health[1].0 += 3;
    }
    let total: u32 = world.query::<&Health>().iter(&world).map(|health| health.0).sum();
    assert_eq!(total, 6);
}
