use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Stunned;

#[system(without(Stunned))]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Health(3), Stunned)).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
