use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[system(changed(Health))]
fn heal(shield: &Shield, health: &mut Health) {
    health.0 += shield.0;
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Shield(2))).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
