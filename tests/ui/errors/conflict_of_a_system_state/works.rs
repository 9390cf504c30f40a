use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Boss;

fn main() {
    let mut world = World::new();
    let boss = world.spawn((Health(1), Boss)).id();
    world.spawn(Health(2));
    let mut state = SystemState::<(Query<&mut Health, Without<Boss>>, Single<&Health, With<Boss>>)>::new(&mut world);
    let (mut others, boss_health) = state.get_mut(&mut world).unwrap();
    others.iter_mut().for_each(|mut health| health.0 += boss_health.0);
    assert_eq!(world.get::<Health>(boss).unwrap().0, 1);
}
