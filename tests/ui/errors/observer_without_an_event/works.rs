use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[observer]
fn hurt(_: On<Add<Health>>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    let mut world = World::new();
    world.add_observer(hurt);
    let orc = world.spawn(Health(3)).id();
    assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
}
