use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut patients: Query<&mut Health>, everybody: Query<Entity>) {
    for mut health in &mut patients {
        health.0 += everybody.count() as u32;
    }
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(2)).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
