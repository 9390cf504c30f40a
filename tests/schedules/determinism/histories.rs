//! One history, run with schedules that are rebuilt or replaced, with additional systems that do nothing, in turns with another world, and
//! on several threads: ids, rows, values, free ids and visible changes are equal.
//!
//! The state that determines ids belongs to the world. So ids must not depend on which schedule object has run before, on the world for
//! which a plan was computed, or on systems that cannot reserve ids. Systems with commands can reserve ids, so they do not count as idle
//! here.

use std::sync::Arc;

use proptest::prelude::*;
use strata_ecs::pool::{ThreadPool, ThreadPoolBuilder};
use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;
use strata_ecs::schedule::{MultiThreadedExecutor, ScheduleBuildSettings, SingleThreadedExecutor};

use super::config;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Step;

#[derive(Component, Clone, PartialEq, Debug)]
struct Made(u32, u32);

#[derive(Component, Clone, PartialEq, Debug)]
struct Moved(u32);

/// A row of a loop in parts.
#[derive(Component)]
struct Asks(u32);

#[derive(Resource)]
struct Round(u32);

/// How many entities a system spawns in a round: few, many, or none, and from some round on only.
fn wanted(system: u32, round: u32) -> u32 {
    if round < system % 3 {
        return 0;
    }
    [0, 1, 3, 70, 300, 0, 20][((system * 5 + round * 3) % 7) as usize]
}

fn spawns(system: u32) -> impl FnMut(Commands<'_, '_>, Res<'_, Round>) {
    move |mut commands, round| {
        for nth in 0..wanted(system, round.0) {
            let _ = commands.spawn(Made(system, nth)).id();
        }
    }
}

fn spawns_in_parts(system: u32) -> impl FnMut(Query<'_, '_, &Asks>, Commands<'_, '_>, Res<'_, Round>) {
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

fn changes(mut all: Query<'_, '_, (Entity, &mut Made)>, round: Res<'_, Round>) {
    for (id, mut made) in &mut all {
        if id.index() % 5 == round.0 % 5 {
            made.1 += 1;
        }
    }
}

fn moves(all: Query<'_, '_, (Entity, &Made, Has<Moved>)>, mut commands: Commands<'_, '_>, round: Res<'_, Round>) {
    for (id, made, is_moved) in &all {
        match (made.0 + made.1 + round.0) % 11 {
            0 => _ = commands.entity(id).insert(Moved(made.1)),
            1 if is_moved => _ = commands.entity(id).remove::<Moved>(),
            2 => commands.entity(id).despawn(),
            _ => {}
        }
    }
}

fn idle() {}

fn idle_in_parts(rows: Query<'_, '_, &Asks>) {
    rows.par_iter().for_each(|_| ());
}

fn idle_reader(mut all: RemovedComponents<'_, '_, Moved>) {
    assert!(all.read().count() < 10_000);
}

fn idle_with_rows(all: Query<'_, '_, &Made>) {
    assert!(all.iter().all(|made| made.0 < 10_000));
}

#[system]
fn idle_by_row(_made: &Made) {}

fn never() -> bool {
    false
}

/// Where systems that do nothing are among the others.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Idle {
    Nowhere,
    First,
    Between,
    Last,
}

fn schedule(idle_ones: Idle, threads: usize) -> Schedule {
    let mut schedule = Schedule::new(Step);
    let add_idle = |schedule: &mut Schedule, place: Idle| {
        if idle_ones == place {
            schedule.add_systems((idle_reader, idle, idle_in_parts, idle_by_row));
            schedule.add_systems((idle_with_rows, idle.run_if(never)));
        }
    };
    add_idle(&mut schedule, Idle::First);
    schedule.add_systems((spawns(0), spawns(1), spawns_in_parts(2), changes, spawns(3)));
    add_idle(&mut schedule, Idle::Between);
    schedule.add_systems((spawns(4), (spawns(5), moves).chain(), spawns_in_parts(6), spawns(7), spawns(8)));
    add_idle(&mut schedule, Idle::Last);
    match threads {
        1 => schedule.set_executor(SingleThreadedExecutor::new()),
        _ => schedule.set_executor(MultiThreadedExecutor::eager()),
    };
    schedule
}

/// An action before a round that must not make a difference.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    /// The plan is computed again.
    Rebuild,
    /// Another schedule takes the place of the one before, with idle systems or without.
    Replace(Idle),
    /// Idle systems are added after the others.
    AddIdle,
    /// The schedule runs on another world.
    Alternate,
}

fn before() -> impl Strategy<Value = Before> {
    prop_oneof![
        Just(Before::Nothing),
        Just(Before::Rebuild),
        prop_oneof![Just(Idle::Nowhere), Just(Idle::First), Just(Idle::Between), Just(Idle::Last)]
            .prop_map(Before::Replace),
        Just(Before::AddIdle),
        Just(Before::Alternate),
    ]
}

/// All observable facts of a world.
#[derive(PartialEq, Debug)]
struct Facts {
    /// By table, in the order of the rows.
    rows: Vec<(Entity, Option<Made>, Option<Moved>)>,
    added: Vec<Entity>,
    changed: Vec<Entity>,
    removed: Vec<Entity>,
    /// The ids that come next, in their order.
    free: Vec<Entity>,
}

fn world(pool: &Arc<ThreadPool>) -> World {
    let mut world = World::new();
    world.set_thread_pool(Arc::clone(pool));
    world.spawn_batch((0..40).map(Asks));
    world.insert_resource(Round(0));
    world
}

const ROUNDS: u32 = 7;

/// The facts after each round; in round `n` comes what the nth entry says first.
fn history(history: &[Before], threads: usize, at_first: Idle) -> Vec<Facts> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    let pool = Arc::new(pool);
    let [mut world, mut other] = [(); 2].map(|()| world(&pool));
    let mut added = world.query_filtered::<Entity, Added<Made>>();
    let mut changed = world.query_filtered::<Entity, Changed<Made>>();
    let mut removed = world.removed_reader::<Moved>();
    let mut schedule = schedule(at_first, threads);
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        match history.get(round as usize) {
            None | Some(Before::Nothing) => {}
            Some(Before::Rebuild) => _ = schedule.set_build_settings(ScheduleBuildSettings::default()),
            Some(Before::Replace(idle)) => schedule = self::schedule(*idle, threads),
            Some(Before::AddIdle) => _ = schedule.add_systems((idle, idle_reader, idle_by_row)),
            Some(Before::Alternate) => {
                other.insert_resource(Round(round + 3));
                schedule.run(&mut other);
            }
        }
        world.insert_resource(Round(round));
        schedule.run(&mut world);
        world.check_invariants();
        let tables = world.tables().iter().flat_map(|table| table.entities().iter());
        let rows = tables.map(|&id| (id, world.get(id).cloned(), world.get(id).cloned())).collect();
        let (added, changed) = (added.iter(&world).collect(), changed.iter(&world).collect());
        world.clear_trackers();
        let removed = removed.read(&world).collect();
        let free: Vec<Entity> = (0..100).map(|_| world.spawn_empty().id()).collect();
        rounds.push(Facts { rows, added, changed, removed, free: free.clone() });
        world.many(&free[..80]).despawn();
    }
    rounds
}

fn compare(expected: &[Facts], found: &[Facts]) {
    for (round, (expected, found)) in expected.iter().zip(found).enumerate() {
        assert!(expected.rows == found.rows, "round {round}: entities, rows or values differ");
        assert!(expected == found, "round {round}: free ids or visible changes differ");
    }
}

#[test]
fn rebuilt_replaced_and_alternating_schedules_and_idle_systems_change_nothing() {
    let expected = history(&[], 1, Idle::Nowhere);
    assert!(expected[ROUNDS as usize - 1].rows.len() > 2000);
    let strategy = (prop::collection::vec(before(), ROUNDS as usize), prop_oneof![Just(1), Just(4)]);
    proptest!(config(16), |((edits, threads) in strategy)| compare(&expected, &history(&edits, threads, Idle::Nowhere)));
    for at_first in [Idle::First, Idle::Between, Idle::Last] {
        compare(&expected, &history(&[], 1, at_first));
        compare(&expected, &history(&[Before::Nothing, Before::Replace(Idle::Nowhere)], 4, at_first));
    }
}

/// Two schedules with systems of the same names, whose ids come in turns.
#[test]
fn two_schedules_of_one_world_that_are_rebuilt_get_the_same_ids() {
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Other;
    let ids = |rebuilds: bool| {
        let mut world = World::new();
        world.insert_resource(Round(0));
        let mut schedules = [Schedule::new(Step), Schedule::new(Other)];
        schedules[0].add_systems((spawns(0), spawns(1), spawns(4)));
        schedules[1].add_systems((spawns(3), spawns(6)));
        for round in 0..12 {
            world.insert_resource(Round(round));
            for schedule in &mut schedules {
                if rebuilds && round % 3 == 1 {
                    schedule.set_build_settings(ScheduleBuildSettings::default());
                }
                schedule.run(&mut world);
            }
        }
        world.iter_entities().map(|entity| (entity.id(), entity.get::<Made>().cloned())).collect::<Vec<_>>()
    };
    let expected = ids(false);
    assert!(expected.len() > 1000);
    assert!(ids(true) == expected);
}
