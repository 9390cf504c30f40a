//! What the steps of a schedule cost, as far as it has been measured.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;

use crate::pool::{HAS_CLOCK, Instant};

/// How often a run is measured once it is known what to expect.
const EVERY: u64 = 64;

/// What each step costs, in nanoseconds.
#[derive(Default)]
pub(super) struct Costs {
    /// Of the run that is measured at present.
    now: Vec<AtomicUsize>,
    /// As expected.
    pub(super) expected: Vec<u64>,
    /// How many runs there have been.
    runs: u64,
    measured: u64,
    /// What it costs to look at the clock.
    look: usize,
    /// Whether the run counts for what is expected, and is not only measured for reports.
    counts: bool,
}

impl Costs {
    /// Whether the run that begins is to be measured: not the first, which does what is only done once, but soon after it,
    /// and then more and more rarely; or if each run is.
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

    /// How many runs come before the next one that is measured, if not each run is.
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

    /// Adds to what a step has cost, as [`note`](Self::note) would have noted it.
    pub(super) fn add(&self, step: u32, cost: Duration) {
        let cost = usize::try_from(cost.as_nanos()).unwrap_or(usize::MAX);
        self.now[step as usize].fetch_add(cost.saturating_sub(self.look), Relaxed);
    }

    /// What a step has cost in the run that was measured.
    pub(super) fn measured(&self, step: u32) -> u64 {
        self.now[step as usize].load(Relaxed) as u64
    }

    /// After a run that was measured: brings what is expected nearer to it. Returns whether it did, and something can be
    /// said. A thread that was held up by others in between counts for little: of the first two times the smaller one counts,
    /// and later ones as twice what was expected at most.
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

/// Notes what each of the steps costs that a thread runs.
pub(super) trait Measure {
    /// A step has ended.
    fn end_step(&mut self, step: u32);
}

/// Nothing is measured.
pub(super) struct Unmeasured;

impl Measure for Unmeasured {
    #[inline(always)]
    fn end_step(&mut self, _: u32) {}
}

/// A step costs the time since the one before it has ended.
pub(super) struct StepTimer<'a> {
    costs: &'a Costs,
    before: Instant,
}

impl<'a> StepTimer<'a> {
    /// The first step begins now.
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

/// What it costs to look at the clock, in nanoseconds: it may be more than what a step costs.
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
