use strata_ecs::prelude::*;

#[derive(Resource)]
struct Count(u32);

fn spawn_enemies(count: Res<Count>) {
    assert!(count.0 > 0);
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Count(3));
    let mut schedule = Schedule::default();
    schedule.add_systems(spawn_enemies);
    schedule.run(&mut world);
}
