use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Event)]
struct Rest;

fn heal(_: On<Rest>, mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn main() {
    let mut world = World::new();
    world.add_observer(heal);
    let orc = world.spawn(Health(1)).id();
    world.trigger(Rest);
    assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
}
