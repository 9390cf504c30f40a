//! Random schedules of random systems, run with different numbers of threads on worlds that start equal: afterwards all that
//! can be known of the worlds is equal, and so is all that any system has seen on the way.
//!
//! The actions of systems depend on the values that they see, so that a wrong order is detected. Systems are delayed at random, the first
//! ones more, so that systems run in another order if they may. Ids that several systems reserve at the same time through `&World` are left
//! out, because they are documented to depend on the order of threads.

mod build;
mod commands;
mod conditions;
mod facts;
mod histories;
mod others;
mod parts;
mod plan;
mod probe;
mod relations;
mod run;
mod systems;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_tests::effort;

use facts::compare;
use plan::{Case, cases};
use run::{Way, run};

const WAYS: [Way; 5] = [Way::Eager(1), Way::Eager(2), Way::Eager(4), Way::Eager(8), Way::Judged(4)];

/// Compares all ways with the first, on one thread.
fn check(case: &Case) {
    let expected = run(case, Way::Alone);
    for way in WAYS {
        let outcome = run(case, way);
        compare(&expected.runs, &outcome.runs, &way);
        HELPED.fetch_add(outcome.helped, Relaxed);
    }
}

/// How often another thread than the one that runs the schedule ran a system.
static HELPED: AtomicUsize = AtomicUsize::new(0);

fn config(cases: u32) -> Config {
    Config { cases: effort::cases(cases), failure_persistence: None, max_shrink_iters: 400, ..Config::default() }
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    proptest!(config(200), |(case in cases())| check(&case));
    assert!(HELPED.load(Relaxed) > 0, "all systems ran on the thread that runs the schedule: nothing was tried");
}
