//! The measured costs of the steps of a schedule.
//!
//! Tests: tests/schedules/schedule/many_runs.rs

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;

use crate::util::pool::{HAS_CLOCK, Instant};

/// The number of runs between two measured runs, after the first runs.
const EVERY: u64 = 64;

/// The cost of each step, in nanoseconds.
#[derive(Default)]
pub(super) struct Costs {
    /// The cost of each step in the current measured run.
    now: Vec<AtomicUsize>,
    /// The expected cost of each step.
    pub(super) expected: Vec<u64>,
    /// The number of runs so far.
    runs: u64,
    measured: u64,
    /// The cost of reading the clock.
    look: usize,
    /// Whether the current run updates the expected costs. If not, it is measured only for reports.
    counts: bool,
}

impl Costs {
    /// Returns whether to measure the run that begins. The first run is not measured, because it does one-time work.
    /// Later runs are measured at increasing intervals. If `each` is set, every run is measured.
    pub(super) fn begin(&mut self, steps: usize, each: bool) -> bool {
        if self.now.len() != steps {
            self.now.resize_with(steps, AtomicUsize::default);
            self.expected.resize(steps, 0);
        }
        let run = self.runs;
        self.runs += 1;
        self.counts = run > 0 && (each || run.is_power_of_two() || run.is_multiple_of(EVERY));
        if HAS_CLOCK && (each || self.counts) {
            self.now.iter_mut().for_each(|cost| *cost.get_mut() = 0);
            self.look = cost_of_a_look();
            return true;
        }
        false
    }

    /// Returns the number of runs before the next measured one, if not every run is measured.
    pub(super) fn runs_before_measured(&self) -> u64 {
        let next = |at: Option<u64>| at.map_or(0, |at| at - self.runs);
        next(self.runs.checked_next_power_of_two()).min(next(self.runs.checked_next_multiple_of(EVERY)))
    }

    /// Counts a run that is not measured.
    #[cfg(feature = "std")]
    #[inline]
    pub(super) fn pass_over(&mut self) {
        self.runs += 1;
    }

    /// Adds a time to the cost of a step in the current run, minus the cost of reading the clock.
    pub(super) fn add(&self, step: u32, cost: Duration) {
        let cost = usize::try_from(cost.as_nanos()).unwrap_or(usize::MAX);
        self.now[step as usize].fetch_add(cost.saturating_sub(self.look), Relaxed);
    }

    /// Returns the cost of a step in the last measured run.
    pub(super) fn measured(&self, step: u32) -> u64 {
        self.now[step as usize].load(Relaxed) as u64
    }

    /// Called after a measured run: updates the expected costs. Returns whether they were updated and can be used. To
    /// limit the influence of an interrupted thread, the expected cost is at first the smaller one of two measured
    /// costs. Later, a measured cost counts as at most twice the expected cost.
    pub(super) fn end(&mut self) -> bool {
        if !self.counts {
            return false;
        }
        let before = self.measured;
        self.measured += 1;
        for (expected, now) in self.expected.iter_mut().zip(&mut self.now) {
            let now = *now.get_mut() as u64;
            *expected = match before {
                0 => now,
                1 => now.min(*expected),
                _ => (*expected * 3 + now.min(*expected * 2 + 100)) / 4,
            };
        }
        before > 0
    }
}

/// Records the cost of each step that a thread runs.
pub(super) trait Measure {
    /// Called when a step has ended.
    fn end_step(&mut self, step: u32);
}

/// Does not record costs.
pub(super) struct Unmeasured;

impl Measure for Unmeasured {
    #[inline(always)]
    fn end_step(&mut self, _: u32) {}
}

/// Takes the time since the previous step ended as the cost of a step.
pub(super) struct StepTimer<'a> {
    costs: &'a Costs,
    before: Instant,
}

impl<'a> StepTimer<'a> {
    /// Starts the timer at the beginning of the first step.
    pub(super) fn start(costs: &'a Costs) -> Self {
        Self { costs, before: Instant::now() }
    }
}

impl Measure for StepTimer<'_> {
    fn end_step(&mut self, step: u32) {
        let now = Instant::now();
        self.costs.add(step, now.duration_since(self.before));
        self.before = now;
    }
}

/// Measures the cost of reading the clock, in nanoseconds. It may exceed the cost of a step.
fn cost_of_a_look() -> usize {
    let mut before = Instant::now();
    let looks = (0..8).map(|_| {
        let now = Instant::now();
        let cost = now.duration_since(before);
        before = now;
        cost
    });
    looks.min().map_or(0, |cost| cost.as_nanos() as usize)
}
