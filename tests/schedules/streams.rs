//! More systems with commands than there are streams of ids, and loops with more tasks than there are lanes: ids depend on
//! what the systems do, and not on threads.

use std::sync::Arc;

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, Pipelining, SingleThreadedExecutor};

/// Which system made it, and the how manieth of that system it was.
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Made(u32, u32);

/// A row of a loop that spawns.
#[derive(Component)]
struct Asks(u32);

#[derive(Resource)]
struct Round(u32);

/// How many entities a system spawns in a round: few, many, or none.
fn wanted(system: u32, round: u32) -> u32 {
    [0, 1, 3, 70, 300, 0, 20][((system * 5 + round * 3) % 7) as usize]
}

fn plain(system: u32) -> impl FnMut(Commands<'_, '_>, Res<'_, Round>) {
    move |mut commands, round| {
        for nth in 0..wanted(system, round.0) {
            let _ = commands.spawn(Made(system, nth)).id();
        }
    }
}

fn in_parts(system: u32) -> impl FnMut(Query<'_, '_, &Asks>, Commands<'_, '_>, Res<'_, Round>) {
    move |rows, commands, round| {
        let round = round.0;
        let rows = rows.par_iter().batching_strategy(BatchingStrategy::fixed(1));
        rows.for_each_with(commands, |commands, asks| {
            for nth in 0..wanted(asks.0, round) {
                let _ = commands.spawn(Made(system * 100 + asks.0, nth)).id();
            }
        });
    }
}

/// All that can be known of ids after some rounds.
fn run(executor: Executor, threads: usize) -> Vec<Vec<(Entity, Option<Made>)>> {
    let mut world = World::new();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    world.spawn_batch((0..40).map(Asks));
    let mut schedule = Schedule::default();
    schedule.add_systems((plain(0), plain(1), in_parts(2), plain(3), plain(4), plain(5)));
    schedule.add_systems((plain(6), in_parts(7), plain(8), (plain(9), plain(10)).chain(), in_parts(11)));
    schedule.set_executor(executor);
    let all = |world: &World| -> Vec<(Entity, Option<Made>)> {
        world.iter_entities().map(|entity| (entity.id(), entity.get().copied())).collect()
    };
    let mut rounds = Vec::new();
    for round in 0..6 {
        world.insert_resource(Round(round));
        schedule.run(&mut world);
        world.check_invariants();
        rounds.push(all(&world));
        // Which indexes are free, and in which order.
        let next: Vec<Entity> = (0..200).map(|_| world.spawn_empty().id()).collect();
        rounds.push(next.iter().map(|&id| (id, None)).collect());
        let some: Vec<Entity> = all(&world).iter().map(|(id, _)| *id).filter(|id| id.index() % 3 == 1).collect();
        let made: Vec<Entity> = some.into_iter().filter(|&id| world.get::<Asks>(id).is_none()).collect();
        world.many(&made).despawn();
    }
    rounds
}

#[test]
fn more_systems_with_commands_than_streams_get_the_same_ids_on_any_number_of_threads() {
    let alone = run(SingleThreadedExecutor::new().into(), 1);
    assert!(alone.iter().any(|round| round.len() > 5000));
    for threads in [1, 2, 3, 8] {
        for _ in 0..3 {
            assert!(run(MultiThreadedExecutor::eager().into(), threads) == alone, "{threads} threads");
        }
    }
}

#[test]
fn a_loop_that_fails_in_one_of_its_tasks_keeps_what_the_tasks_before_it_recorded() {
    #[system(par)]
    fn fails(asks: &Asks, mut commands: Commands<'_, '_>) -> Result<(), Fails> {
        let _ = commands.spawn(Made(asks.0, 0)).id();
        if asks.0 % 40 == 33 { Err(Fails) } else { Ok(()) }
    }
    #[derive(Debug)]
    struct Fails;
    impl std::fmt::Display for Fails {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("row 33 fails")
        }
    }
    impl std::error::Error for Fails {}
    for threads in [1, 2, 8] {
        for _ in 0..20 {
            let mut world = World::new();
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            world.set_thread_pool(Arc::new(pool));
            world.spawn_batch((0..5000).map(Asks));
            let mut schedule = Schedule::default();
            schedule.add_systems(fails);
            assert!(schedule.try_run(&mut world).is_err());
            let mut made: Vec<(u32, u32)> = Vec::new();
            made.extend(world.query::<(Entity, &Made)>().iter(&world).map(|(id, made)| (made.0, id.index())));
            made.sort_unstable();
            // Rows up to the one that failed, and no other.
            assert_eq!(made.iter().map(|(row, _)| *row).collect::<Vec<_>>(), (0..=33).collect::<Vec<_>>());
            world.check_invariants();
        }
    }
}

/// Row systems with commands, more of them than a pipeline may have, as they would have the same stream.
#[test]
fn a_pipeline_has_no_two_systems_with_one_stream() {
    macro_rules! systems {
        ($($name:ident $number:literal),*) => {
            $(#[system]
            fn $name(made: &mut Made, mut commands: Commands<'_, '_>) {
                made.1 += 1;
                if made.0 % 7 == $number {
                    let _ = commands.spawn(Asks($number)).id();
                }
            })*
        };
    }
    systems!(a 0, b 1, c 2, d 3, e 4, f 5);
    let ids = |pipelining: Pipelining| {
        let mut world = World::new();
        world.spawn_batch((0..20_000).map(|nth| Made(nth, 0)));
        let mut schedule = Schedule::default();
        schedule.add_systems((a, b, c, d, e, f).chain_ignore_deferred()).set_pipelining(pipelining);
        schedule.set_executor(SingleThreadedExecutor::new());
        (0..3).for_each(|_| schedule.run(&mut world));
        world.query::<(Entity, &Asks)>().iter(&world).map(|(id, asks)| (id, asks.0)).collect::<Vec<_>>()
    };
    let one_by_one = ids(Pipelining::Never);
    assert!(one_by_one.len() > 10_000);
    assert!(ids(Pipelining::Always) == one_by_one);
}
