use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Target(Entity);

#[system]
fn aim(target: &Target, healths: Lookup<&Health>) {
    assert_eq!(healths.get(target.0).unwrap().0, 3);
}

fn main() {
    let mut world = World::new();
    let prey = world.spawn(Health(3)).id();
    world.spawn(Target(prey));
    let mut schedule = Schedule::default();
    schedule.add_systems(aim);
    schedule.run(&mut world);
}
