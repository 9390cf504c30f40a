use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn bury(entity: Entity, health: &Health, mut commands: Commands) {
    if health.0 == 0 {
        commands.entity(entity).despawn();
    }
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Health(0), Health(9)]);
    let mut schedule = Schedule::default();
    schedule.add_systems(bury);
    schedule.run(&mut world);
    assert_eq!(world.len(), 1);
}
