use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn announce(boss: Single<&Health>) {
    assert_eq!(boss.0, 3);
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(3));
    let mut schedule = Schedule::default();
    schedule.add_systems(announce);
    schedule.run(&mut world);
}
