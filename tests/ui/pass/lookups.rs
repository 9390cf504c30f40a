//! Lookups of what the rows do not write.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
struct Target(Entity);
#[derive(Component)]
struct Fixed;

#[system]
fn chase(velocity: &mut Velocity, position: &Position, target: &Target, positions: Lookup<&Position>) {
    if let Ok(goal) = positions.get(target.0) {
        velocity.0 = goal.0 - position.0;
    }
}

#[system(without(Fixed))]
fn jump(position: &mut Position, target: &Target, fixed: Lookup<(&Position, Has<Velocity>), With<Fixed>>) {
    if let Ok((goal, false)) = fixed.get(target.0) {
        position.0 = goal.0;
    }
}

#[system]
fn optional(_: Option<&mut Velocity>, all: Lookup<(Entity, Option<&Position>)>, targets: Query<&Target>) {
    assert!(targets.iter().all(|target| all.contains(target.0)));
}

fn plain<'w>(all: Lookup<'w, '_, &Position>, targets: Query<&Target>) {
    let found: Vec<&'w Position> = targets.iter().filter_map(|target| all.get(target.0).ok()).collect();
    assert_eq!(found.len(), 1);
}

fn main() {
    let mut world = World::new();
    let goal = world.spawn((Position(4.0), Fixed)).id();
    let row = world.spawn((Position(1.0), Velocity(0.0), Target(goal))).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((chase, jump, optional, plain));
    schedule.run(&mut world);
    assert_eq!(world.get::<Velocity>(row).unwrap().0, 3.0);
    assert_eq!(world.get::<Position>(row).unwrap().0, 4.0);
}
