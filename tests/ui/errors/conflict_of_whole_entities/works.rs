use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Healer;

#[system]
fn heal(mut patients: Query<EntityMut, Without<Healer>>, healers: Query<EntityRef, With<Healer>>) {
    let most = healers.iter().filter_map(|healer| healer.get()).map(|health: &Health| health.0).max();
    for mut patient in &mut patients {
        if let Some(mut health) = patient.get_mut::<Health>() {
            health.0 = health.0.max(most.unwrap_or(0));
        }
    }
}

fn main() {
    let mut world = World::new();
    let patient = world.spawn(Health(1)).id();
    world.spawn((Health(9), Healer));
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(patient).unwrap().0, 9);
}
