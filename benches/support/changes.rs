//! The cost of change detection: loops that write, filters that check for changes, and whole ticks that do both.
//!
//! Each contestant is compared with the baseline, tick by tick, before anything is measured: see [`checked`].

pub(crate) mod by_hand;
mod in_world;
mod limits;
pub(crate) mod loops;

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::contest::checked_in;
pub(crate) use super::contest::{Outcome, Workload, in_a_row};
use super::{Bench, Contestant, Sample};
use by_hand::{AllDirty, Despawns, Filter, Listed, Particles, Realistic, Scan, Sparse};

/// The small size of most workloads.
pub(crate) const THOUSANDS: usize = 10_000;
/// The large size of the realistic tick.
pub(crate) const HUNDRED_THOUSAND: usize = 100_000;
/// The size for workloads in which a filter finds few rows.
pub(crate) const MILLION: usize = 1_000_000;
/// The number of entities that are written by id in a tick.
pub(crate) const WRITES: usize = 100;

/// Checks that a contestant produced the baseline's results in each of the first seven ticks.
///
/// # Panics
///
/// If the results differ.
pub(crate) fn checked<W: Workload>(contestant: W, by_hand: impl Workload) -> W {
    checked_in(7, contestant, by_hand)
}

/// Times the runs of a workload, without the work between them.
///
/// The clock is read around every run, which adds some tens of nanoseconds, so all contestants of a workload have to be timed in this way,
/// or none.
pub(crate) fn apart(mut workload: impl Workload) -> Sample {
    Box::new(move |runs| {
        let mut total = Duration::ZERO;
        for _ in 0..runs {
            let workload = black_box(&mut workload);
            workload.before();
            let start = Instant::now();
            workload.run();
            total += start.elapsed();
        }
        total
    })
}

/// Selects the next elements: a few in each tick, cyclically.
#[derive(Clone, Copy)]
pub(crate) struct Cursor(pub(crate) usize);

impl Cursor {
    /// The next `count` elements; `count` must divide the total.
    #[inline]
    pub(crate) fn next<'a, I>(&mut self, all: &'a [I], count: usize) -> &'a [I] {
        let next = &all[self.0..self.0 + count];
        self.0 = (self.0 + count) % all.len();
        next
    }
}

/// The sums of a tick's systems. They are integers, so that the order of the rows does not change them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) position: f64,
    pub(crate) health: i64,
    pub(crate) mana: i64,
}

impl Tally {
    pub(crate) fn outcome(self) -> Outcome {
        [self.position.to_bits(), self.health as u64, self.mana as u64]
    }
}

pub(super) fn benches() -> Vec<Bench> {
    in_world::joined(baselines())
}

fn baselines() -> Vec<Bench> {
    vec![
        loops::unwatched(),
        loops::watched(),
        few_of_a_million(),
        all_of_ten_thousand(),
        bench("changes: realistic tick 10k", THOUSANDS, "dirty lists by hand", || realistic(THOUSANDS)),
        bench("changes: realistic tick 100k", HUNDRED_THOUSAND, "dirty lists by hand", || realistic(HUNDRED_THOUSAND)),
        bench("changes: sparse delta 10k", THOUSANDS, "a dirty list by hand", || in_a_row(Sparse::new())),
        bench("changes: all dirty 10k", THOUSANDS, "ticks by hand", || in_a_row(AllDirty::new())),
        bench("changes: particles 10k", THOUSANDS, "slices by hand", || in_a_row(Particles::new())),
        bench("changes: despawn 10k and drain", THOUSANDS, "slices by hand", || apart(Despawns::new())),
    ]
}

/// A workload whose promised limits are relative to other libraries.
fn bench(name: &'static str, rows: usize, baseline: &'static str, prepare: fn() -> Sample) -> Bench {
    Bench { file: "changes", name, rows, contestants: vec![Contestant::new(baseline, None, prepare)] }
}

fn realistic(rows: usize) -> Sample {
    in_a_row(Realistic::new(rows))
}

fn few_of_a_million() -> Bench {
    let mut bench = bench("changes: 1 % of 1M, the filter alone", MILLION, "a scan of ticks by hand", || {
        apart(Filter::<Scan>::few())
    });
    bench.contestants.push(Contestant::new("a dirty list by hand", None, || {
        apart(checked(Filter::<Listed>::few(), Filter::<Scan>::few()))
    }));
    bench
}

fn all_of_ten_thousand() -> Bench {
    let mut bench = bench("changes: all of 10k, the filter alone", THOUSANDS, "a scan of ticks by hand", || {
        apart(Filter::<Scan>::all())
    });
    bench.contestants.push(Contestant::new("a dirty list by hand", None, || {
        apart(checked(Filter::<Listed>::all(), Filter::<Scan>::all()))
    }));
    bench
}
