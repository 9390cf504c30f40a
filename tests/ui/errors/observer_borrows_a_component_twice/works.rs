use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
struct Ill;

#[derive(EntityEvent)]
struct Heal(Entity);

#[observer(with(Ill))]
fn heal(_: On<Heal>, health: &mut Health, all: Query<&Health, Without<Ill>>) {
    health.0 = all.iter().map(|health| health.0).max().unwrap_or(1);
}

fn main() {
    let mut world = World::new();
    world.add_observer(heal);
    world.spawn(Health(3));
    let orc = world.spawn((Health(1), Ill)).id();
    world.trigger(Heal(orc));
    assert_eq!(world.get::<Health>(orc).unwrap().0, 3);
}
