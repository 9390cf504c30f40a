use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 2);
}
