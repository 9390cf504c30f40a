use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);

#[derive(QueryData)]
#[query_data(contiguous(all))]
struct Target {
    health: &'static Health,
    armour: Option<&'static Armour>,
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Health(1), Health(2)]);
    let mut targets = world.query::<Target>();
    let TargetContiguousItem { health, armour } = targets.contiguous_iter(&world).next().unwrap();
    assert_eq!((health.len(), armour.is_some()), (2, false));
}
