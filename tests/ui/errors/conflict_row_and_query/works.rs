use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Healer;

#[system(without(Healer))]
fn heal(health: &mut Health, healers: Query<&Health, With<Healer>>) {
    health.0 += healers.iter().map(|healer| healer.0).sum::<u32>();
}

fn main() {
    let mut world = World::new();
    let patient = world.spawn(Health(1)).id();
    world.spawn((Health(9), Healer));
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(patient).unwrap().0, 10);
}
