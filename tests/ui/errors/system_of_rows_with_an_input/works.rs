use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Amount(u32);

#[system]
fn heal(health: &mut Health, amount: Res<Amount>) {
    health.0 += amount.0;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Amount(3));
    let entity = world.spawn(Health(1)).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 4);
}
