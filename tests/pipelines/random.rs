//! Random schedules on random worlds, with pipelines and without.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::pool::{ThreadPool, ThreadPoolBuilder};
use strata_ecs::prelude::*;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, Pipelining, SingleThreadedExecutor};
use strata_tests::effort;

use super::build::{count, interfere, schedule_without_cycles, spawn};
use super::facts::{Fact, Readers, compare, resource};
use super::parts::{Extra, One, Two};
use super::plan::{Case, cases};
use super::probe::Seen;
use super::systems::{Float, Sum1, Sum2, Sum3};

/// A case, and of what its blocks are.
#[derive(Clone, Debug)]
struct Blocky {
    case: Case,
    block_rows: usize,
    /// Whether a reader outside of the schedule asks what is changed.
    watch: bool,
}

fn blocky_cases() -> impl Strategy<Value = Blocky> {
    let count = prop_oneof![2 => 0..4_usize, 3 => 50..140_usize, 2 => 150..400_usize];
    let worlds = prop_oneof![
        12 => vec((any::<u16>(), count), 0..6),
        1 => vec((any::<u16>(), 1000..4000_usize), 1..2),
    ];
    (cases(), worlds, 1..4_usize, any::<bool>()).prop_map(|(case, world, groups, watch)| {
        let of_kind = |(bits, count): (u16, usize)| std::iter::repeat_n(bits, count);
        let entities = world.into_iter().flat_map(of_kind).collect();
        Blocky { case: Case { entities, ..case }, block_rows: groups * 64, watch }
    })
}

/// The executor of the schedule, its number of threads, and when it runs block by block.
#[derive(Clone, Copy, Debug)]
enum Way {
    Alone(Pipelining),
    Eager(usize),
    Judged(usize),
}

const WAYS: [Way; 5] = [Way::Alone(Pipelining::Always), Way::Eager(1), Way::Eager(2), Way::Eager(4), Way::Judged(2)];

impl Way {
    fn threads(self) -> usize {
        match self {
            Self::Alone(_) => 1,
            Self::Eager(threads) | Self::Judged(threads) => threads,
        }
    }

    fn executor(self) -> Executor {
        match self {
            Self::Alone(_) => SingleThreadedExecutor::new().into(),
            Self::Eager(_) => MultiThreadedExecutor::eager().into(),
            Self::Judged(_) => MultiThreadedExecutor::new().into(),
        }
    }

    fn pipelining(self) -> Pipelining {
        match self {
            Self::Alone(pipelining) => pipelining,
            Self::Eager(_) | Self::Judged(_) => Pipelining::Always,
        }
    }
}

/// A pool of so many threads, the same each time.
pub(crate) fn pool(threads: usize) -> Arc<ThreadPool> {
    static POOLS: [OnceLock<Arc<ThreadPool>>; 3] = [const { OnceLock::new() }; 3];
    let make = || Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started"));
    Arc::clone(POOLS[threads.ilog2() as usize].get_or_init(make))
}

/// By run, all that can be known; and how many systems each pipeline had.
struct Outcome {
    runs: Vec<Vec<Fact>>,
    pipelines: Vec<usize>,
}

fn run(blocky: &Blocky, way: Way) -> Outcome {
    let case = &blocky.case;
    let mut world = World::new();
    world.set_thread_pool(pool(way.threads()));
    world.init_resource::<One>();
    world.init_resource::<Two>();
    world.init_resource::<Sum1>();
    world.init_resource::<Sum2>();
    world.init_resource::<Sum3>();
    world.init_resource::<Float>();
    if !case.entities.len().is_multiple_of(4) {
        world.init_resource::<Extra>();
    }
    let mut ids: Vec<Entity> = Vec::new();
    for (nth, bits) in case.entities.iter().enumerate() {
        ids.push(spawn(&mut world, *bits, nth, &ids));
    }
    let seen = Seen::new(count(&case.nodes), way.threads() > 1);
    let mut schedule = schedule_without_cycles(case, &seen, &mut world);
    schedule.set_executor(way.executor()).set_pipelining(way.pipelining()).set_block_rows(blocky.block_rows);
    let mut readers = Readers::new(&mut world, blocky.watch);
    let mut runs = Vec::new();
    for between in [None].into_iter().chain(case.between.iter().map(Some)) {
        if let Some((what, detail)) = between {
            interfere(&mut world, *what, *detail);
        }
        let result = schedule.try_run(&mut world).err().map(|error| error.to_string());
        world.check_invariants();
        let mut facts = vec![Fact::Result(result), Fact::Digests(seen.digests())];
        resource(&world, "Sum1", &mut facts, |sum: &Sum1| sum.0);
        resource(&world, "Sum2", &mut facts, |sum: &Sum2| sum.0);
        resource(&world, "Sum3", &mut facts, |sum: &Sum3| sum.0);
        resource(&world, "Float", &mut facts, |sum: &Float| sum.0.to_bits());
        facts.extend(readers.facts(&mut world));
        runs.push(facts);
    }
    let next: Vec<Entity> = (0..40).map(|_| world.spawn_empty().id()).collect();
    runs.push(vec![Fact::Next(next)]);
    let pipelines = schedule.used_pipelines().iter().map(Vec::len).collect();
    Outcome { runs, pipelines }
}

fn config(cases: u32) -> Config {
    Config { cases: effort::cases(cases), failure_persistence: None, max_shrink_iters: 2000, ..Config::default() }
}

/// How many cases there were, how many of them had pipelines in use, how many pipelines, and how many systems in these.
static TRIED: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

fn check(blocky: &Blocky) {
    let expected = run(blocky, Way::Alone(Pipelining::Never));
    assert!(expected.pipelines.is_empty());
    for way in WAYS {
        let outcome = run(blocky, way);
        compare(&expected.runs, &outcome.runs, &way);
        if let Way::Alone(_) = way {
            let pipelines = &outcome.pipelines;
            assert!(pipelines.iter().all(|systems| *systems > 1));
            let add = |which: usize, number: usize| TRIED[which].fetch_add(number, Relaxed);
            add(0, 1);
            add(1, usize::from(!pipelines.is_empty()));
            add(2, pipelines.len());
            add(3, pipelines.iter().sum());
        }
    }
}

#[test]
fn pipelines_change_nothing() {
    proptest!(config(150), |(blocky in blocky_cases())| check(&blocky));
    let [cases, with, pipelines, systems] = TRIED.each_ref().map(|number| number.load(Relaxed));
    println!("{cases} cases, {with} of them with pipelines: {pipelines}, of {systems} systems");
    assert!(with * 2 > cases, "pipelines in {with} of {cases} cases only: hardly anything was tried");
}
