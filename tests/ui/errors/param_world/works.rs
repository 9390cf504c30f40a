use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;

fn reinforce(world: &mut World) {
    world.spawn(Enemy);
}

fn main() {
    let mut world = World::new();
    let mut schedule = Schedule::new();
    schedule.add_systems(reinforce);
    schedule.run(&mut world);
    assert_eq!(world.len(), 1);
}
