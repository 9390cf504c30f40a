use strata_ecs::prelude::*;

fn restart(world: &mut World) {
    world.clear_entities();
}

fn main() {
    let mut world = World::new();
    world.spawn_empty();
    let mut schedule = Schedule::default();
    schedule.add_systems(restart);
    schedule.run(&mut world);
    assert!(world.is_empty());
}
