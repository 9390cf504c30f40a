//! Ids that systems reserve at the same time: memory follows the ids that exist.

use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};

#[derive(Component)]
struct Made;

#[derive(Resource, Default)]
struct Burst(u32);

/// A hundred systems that spawn one entity each, and one that spawns as many as the resource says.
fn schedule(executor: Executor) -> Schedule {
    let one = |mut commands: Commands<'_, '_>| {
        let _ = commands.spawn(Made).id();
    };
    let burst = |mut commands: Commands<'_, '_>, burst: Res<'_, Burst>| {
        for _ in 0..burst.0 {
            let _ = commands.spawn(Made).id();
        }
    };
    let mut schedule = Schedule::default();
    for _ in 0..50 {
        schedule.add_systems((one, one));
    }
    schedule.add_systems(burst).set_executor(executor);
    schedule
}

#[test]
fn a_burst_of_ids_beside_many_systems_takes_memory_for_its_ids_and_not_for_each_system() {
    const COUNT: u32 = 50_000;
    for executor in [Executor::from(SingleThreadedExecutor::new()), MultiThreadedExecutor::eager().into()] {
        // In the first run, in one after others, and from then on.
        for quiet in [0, 3] {
            let mut world = World::new();
            world.init_resource::<Burst>();
            let mut schedule = schedule(executor);
            (0..quiet).for_each(|_| schedule.run(&mut world));
            let mut most = 0;
            for _ in 0..3 {
                world.insert_resource(Burst(COUNT));
                schedule.run(&mut world);
                world.insert_resource(Burst(0));
                schedule.run(&mut world);
                most = most.max(world.entities().index_bound() / world.len());
                assert!(world.entities().index_bound() <= 5 * world.len() + 64 * 5, "{most}");
            }
            // The indexes that were passed over are used before any new one.
            let (bound, free) = (world.entities().index_bound(), world.entities().index_bound() - world.len());
            world.spawn_batch((0..free).map(|_| Made));
            assert_eq!(world.entities().index_bound(), bound);
            world.check_invariants();
            world.clear_entities();
            world.shrink_to_fit();
            assert!(world.entities().allocated_bytes() < 4096);
        }
    }
}

#[test]
fn a_burst_of_ids_in_one_task_of_a_parallel_loop_takes_memory_for_few_tasks() {
    const COUNT: u32 = 10_000;
    #[derive(Component)]
    struct Asks(u32);
    let system = |rows: Query<'_, '_, &Asks>, mut commands: Commands<'_, '_>| {
        rows.par_iter().batching_strategy(BatchingStrategy::fixed(1)).for_each_with(
            commands.reborrow(),
            |commands, asks| {
                for _ in 0..asks.0 {
                    let _ = commands.spawn(Made).id();
                }
            },
        );
    };
    let mut world = World::new();
    world.spawn_batch((0..500).map(|nth| Asks(if nth == 250 { COUNT } else { 1 })));
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(&mut world);
    assert_eq!(world.len(), 500 + 499 + COUNT as usize);
    // Eight lanes of tasks, and twice as many as these take since others might reserve ids as well.
    let bound = world.entities().index_bound();
    assert!(bound <= 17 * world.len(), "{bound} indexes for {} entities", world.len());
    world.check_invariants();
}
