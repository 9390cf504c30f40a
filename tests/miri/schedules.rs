//! Systems, row systems and pipelines, on one thread and on several.

use std::sync::Arc;

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};

use super::*;

#[system]
fn movement(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
    position.1 += velocity.1;
}

#[system(par)]
fn slow_down(velocity: &mut Velocity) {
    velocity.0 *= 0.5;
}

#[system]
fn count(moved: Query<(), (With<Label>, Changed<Position>)>, mut total: ResMut<Total>) {
    total.0 += moved.iter().count() as u32;
}

#[system]
fn mark(fast: Query<(Entity, &Velocity), Without<Marked>>, mut commands: Commands) {
    for (entity, velocity) in &fast {
        if velocity.0 < 0.6 {
            commands.entity(entity).insert((Marked, Poison(Box::new(1))));
        }
    }
}

fn run(executor: Executor, threads: usize) -> (u32, Vec<Position>) {
    let mut world = World::new();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    world.init_resource::<Total>();
    for i in 0..10 {
        let id = world.spawn((Position(0.0, i as f32), Velocity(1.0, 1.0))).id();
        if i % 2 == 0 {
            world.entity_mut(id).insert(Label(i.to_string()));
        }
    }
    let mut schedule = Schedule::default();
    schedule.set_executor(executor);
    schedule.add_systems((movement, slow_down, count, mark).chain());
    schedule.run(&mut world);
    schedule.run(&mut world);
    let positions = world.query::<&Position>().iter(&world).copied().collect();
    (world.resource::<Total>().0, positions)
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let one = run(SingleThreadedExecutor::new().into(), 1);
    assert_eq!(one.0, 10);
    assert_eq!(one, run(MultiThreadedExecutor::eager().into(), 2));
}
