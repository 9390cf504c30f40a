use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[system]
fn recharge(health: &Health, shield: Option<&mut Shield>) {
    if let Some(shield) = shield {
        shield.0 = shield.0.max(health.0);
    }
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Health(3), Shield(0))).id();
    world.run_system_once(recharge).unwrap().unwrap();
    assert_eq!(world.get::<Shield>(entity).unwrap().0, 3);
}
