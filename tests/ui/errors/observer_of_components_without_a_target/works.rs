use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(EntityEvent)]
struct Poison(Entity);

#[observer]
fn hurt(_: On<Poison>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    let mut world = World::new();
    world.add_observer(hurt);
    let orc = world.spawn(Health(3)).id();
    world.trigger(Poison(orc));
    assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
}
