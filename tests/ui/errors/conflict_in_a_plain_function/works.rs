use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Healer;

fn heal(mut patients: Query<&mut Health, Without<Healer>>, healers: Query<&Health, With<Healer>>) {
    let most = healers.iter().map(|health| health.0).max().unwrap_or(0);
    for mut health in &mut patients {
        health.0 = health.0.max(most);
    }
}

fn main() {
    let mut world = World::new();
    let patient = world.spawn(Health(1)).id();
    world.spawn((Health(9), Healer));
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(patient).unwrap().0, 9);
}
