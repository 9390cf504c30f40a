use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Paused(bool);

fn running(paused: Res<Paused>) -> bool {
    !paused.0
}

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Paused(true));
    let entity = world.spawn(Health(1)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems(heal.run_if(running));
    schedule.run(&mut world);
    assert_eq!(world.get::<Health>(entity).unwrap().0, 1);
}
