//! Schedules: their overhead beyond the systems, and the gain of a second thread.
//!
//! A contestant that writes anything is compared with the baseline before it is measured; for a schedule of systems that do nothing, the
//! number of systems is checked.

mod conditions;
mod empty;
mod inlined;
pub(crate) mod many;
pub(crate) mod heavy;
mod order;
pub(crate) mod swaps;

use std::sync::{Arc, OnceLock};

use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};

use crate::support::{Bench, Contestant};

/// The number of threads of the parallel contestants.
pub(crate) const THREADS: usize = 2;

/// A schedule without systems, run by one thread or by several.
pub(crate) fn schedule(parallel: bool) -> Schedule {
    let mut schedule = Schedule::default();
    if parallel {
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    schedule
}

/// A world whose schedules and loops use [`THREADS`] threads.
pub(crate) fn world() -> World {
    let mut world = World::new();
    world.set_thread_pool(pool());
    world
}

/// The threads of the contestants that divide the work by hand.
pub(crate) fn pool() -> Arc<rayon::ThreadPool> {
    static POOL: OnceLock<Arc<rayon::ThreadPool>> = OnceLock::new();
    let build = || rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads can be started");
    Arc::clone(POOL.get_or_init(|| Arc::new(build())))
}

/// Every workload, in the order of the table in the README.
pub(crate) fn benches() -> Vec<Bench> {
    [empty::benches(), conditions::benches(), order::benches(), swaps::benches(), heavy::benches(), inlined::benches()]
        .into_iter()
        .flatten()
        .collect()
}

fn bench(name: &'static str, rows: usize, contestants: Vec<Contestant>) -> Bench {
    Bench { file: "schedule", name, rows, contestants }
}
