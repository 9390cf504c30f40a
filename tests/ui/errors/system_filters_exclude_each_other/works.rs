use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Poisoned;

#[system(with(Poisoned))]
fn suffer(health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Health(3), Poisoned)).id();
    world.run_system_once(suffer).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 2);
}
