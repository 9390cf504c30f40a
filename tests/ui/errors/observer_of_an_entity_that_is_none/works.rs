use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(EntityEvent)]
struct Rest(Entity);

fn heal(rest: On<Rest>, mut all: Query<&mut Health>) {
    all.get_mut(rest.0).unwrap().0 += 1;
}

fn main() {
    let mut world = World::new();
    let orc = world.spawn(Health(1)).observe(heal).id();
    world.trigger(Rest(orc));
    assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
}
