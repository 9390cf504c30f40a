//! Running a case in one of several ways.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use strata_ecs::pool::{ThreadPool, ThreadPoolBuilder};
use strata_ecs::prelude::*;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};

use super::build::{count, interfere, schedule_without_cycles, spawn};
use super::facts::{Fact, Readers};
use super::parts::{Extra, One, Two};
use super::plan::Case;
use super::probe::Seen;

/// The executor of the schedule, and its number of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Alone,
    /// Whatever may run side by side does.
    Eager(usize),
    /// Systems run in parallel if they are judged to be worth it.
    Judged(usize),
}

impl Way {
    fn threads(self) -> usize {
        match self {
            Self::Alone => 1,
            Self::Eager(threads) | Self::Judged(threads) => threads,
        }
    }

    fn executor(self) -> Executor {
        match self {
            Self::Alone => SingleThreadedExecutor::new().into(),
            Self::Eager(_) => MultiThreadedExecutor::eager().into(),
            Self::Judged(_) => MultiThreadedExecutor::new().into(),
        }
    }
}

/// A pool of so many threads, the same each time.
fn pool(threads: usize) -> Arc<ThreadPool> {
    static POOLS: [OnceLock<Arc<ThreadPool>>; 4] = [const { OnceLock::new() }; 4];
    let make = || Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started"));
    Arc::clone(POOLS[threads.ilog2() as usize].get_or_init(make))
}

/// The results: all observable facts after each run, and how often a helper thread ran a system.
pub(crate) struct Outcome {
    pub(crate) runs: Vec<Vec<Fact>>,
    pub(crate) helped: usize,
}

pub(crate) fn run(case: &Case, way: Way) -> Outcome {
    let mut world = World::new();
    world.set_thread_pool(pool(way.threads()));
    world.init_resource::<One>();
    world.init_resource::<Two>();
    if !case.entities.len().is_multiple_of(4) {
        world.init_resource::<Extra>();
    }
    let mut ids: Vec<Entity> = Vec::new();
    for (nth, bits) in case.entities.iter().enumerate() {
        ids.push(spawn(&mut world, *bits, nth, &ids));
    }
    let seen = Seen::new(count(&case.nodes), way.threads() > 1);
    let mut schedule = schedule_without_cycles(case, &seen, &mut world);
    schedule.set_executor(way.executor());
    let mut readers = Readers::new(&mut world, true);
    let mut runs = Vec::new();
    for between in [None].into_iter().chain(case.between.iter().map(Some)) {
        if let Some((what, detail)) = between {
            interfere(&mut world, *what, *detail);
        }
        let result = schedule.try_run(&mut world).err().map(|error| error.to_string());
        world.check_invariants();
        let mut facts = vec![Fact::Result(result), Fact::Digests(seen.digests())];
        facts.extend(readers.facts(&mut world));
        runs.push(facts);
    }
    let next: Vec<Entity> = (0..40).map(|_| world.spawn_empty().id()).collect();
    runs.push(vec![Fact::Next(next)]);
    Outcome { runs, helped: seen.helped.load(Relaxed) }
}
