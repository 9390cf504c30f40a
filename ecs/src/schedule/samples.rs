//! Samples of the last runs of a schedule, for its report. The memory that they need depends only on the number of
//! systems.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::error::SystemError;

/// The number of measured times that are kept of each step.
const KEPT: usize = 32;

/// The last measured times of a step or of whole runs, in nanoseconds.
#[derive(Clone, Default)]
pub(super) struct TimeSamples {
    kept: Vec<u64>,
    /// The index at which the next time is stored.
    next: usize,
}

impl TimeSamples {
    pub(super) fn add(&mut self, time: u64) {
        if self.kept.len() < KEPT {
            // All memory is reserved at once, so that later runs allocate no memory.
            self.kept.reserve_exact(KEPT - self.kept.len());
            self.kept.push(time);
        } else {
            self.kept[self.next] = time;
        }
        self.next = (self.next + 1) % KEPT;
    }

    /// Returns all kept times, in ascending order.
    pub(super) fn sorted(&self) -> Vec<u64> {
        let mut all = self.kept.clone();
        all.sort_unstable();
        all
    }
}

/// A step that failed in the last run.
pub(super) struct StepFailure {
    pub(super) step: u32,
    /// The name of the failed system or condition.
    pub(super) name: String,
    pub(super) text: String,
    /// Whether the systems that are ordered after the step did not run.
    pub(super) stops: bool,
}

/// The number of applied commands of a step.
#[derive(Clone, Copy, Default)]
struct CommandCount {
    /// The last run in which the step had commands.
    run: u64,
    in_run: u64,
    in_all: u64,
}

/// The samples of the last runs.
#[derive(Default)]
pub(super) struct Samples {
    /// The number of the last run, counted from 1.
    pub(super) runs: u64,
    /// For each step: the times from the measured runs in which it ran.
    times: Vec<TimeSamples>,
    /// The times of whole runs.
    pub(super) totals: TimeSamples,
    /// For each step: the counts of its commands.
    commands: Vec<CommandCount>,
    pub(super) failures: Vec<StepFailure>,
}

impl Samples {
    /// Begins a run of `steps` steps.
    pub(super) fn begin(&mut self, steps: usize) {
        self.runs += 1;
        self.failures.clear();
        self.times.resize_with(steps, TimeSamples::default);
        self.commands.resize(steps, CommandCount::default());
    }

    /// Counts a run on the fast path. It has as many steps as the previous run, in which no step failed.
    #[cfg(feature = "std")]
    #[inline]
    pub(super) fn pass_over(&mut self) {
        debug_assert!(self.failures.is_empty());
        self.runs += 1;
    }

    /// Records the time of a step.
    pub(super) fn add_time(&mut self, step: u32, time: u64) {
        self.times[step as usize].add(time);
    }

    /// Records that commands of a step have been applied in this run.
    pub(super) fn add_commands(&mut self, step: u32, count: u64) {
        let commands = &mut self.commands[step as usize];
        commands.in_run = if commands.run == self.runs { commands.in_run + count } else { count };
        commands.run = self.runs;
        commands.in_all += count;
    }

    /// Records the failures of this run.
    pub(super) fn add_failures(&mut self, errors: &[(u32, Box<SystemError>)]) {
        self.failures.extend(errors.iter().map(|(step, error)| StepFailure {
            step: *step,
            name: error.system().to_string(),
            text: error.error().to_string(),
            stops: error.stops,
        }));
    }

    /// Returns the number of commands of a step that were applied in the last run.
    pub(super) fn commands(&self, step: u32) -> u64 {
        self.commands.get(step as usize).filter(|count| count.run == self.runs).map_or(0, |count| count.in_run)
    }

    /// Returns the number of commands of a step that were applied in all runs.
    pub(super) fn total_commands(&self, step: u32) -> u64 {
        self.commands.get(step as usize).map_or(0, |count| count.in_all)
    }

    pub(super) fn times(&self, step: u32) -> Vec<u64> {
        self.times.get(step as usize).map_or_else(Vec::new, TimeSamples::sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_times_are_kept() {
        let mut times = TimeSamples::default();
        (0..KEPT as u64 + 5).rev().for_each(|time| times.add(time));
        let kept = times.sorted();
        assert_eq!(kept.len(), KEPT);
        assert_eq!((kept[0], kept[KEPT - 1]), (0, KEPT as u64 - 1));
    }

    #[test]
    fn commands_are_counted_for_the_last_run_and_for_all() {
        let mut samples = Samples::default();
        samples.begin(2);
        samples.add_commands(1, 3);
        samples.add_commands(1, 4);
        assert_eq!((samples.commands(0), samples.commands(1)), (0, 7));
        samples.begin(2);
        assert_eq!(samples.commands(1), 0);
        samples.add_commands(1, 2);
        assert_eq!(samples.commands(1), 2);
        assert_eq!((samples.total_commands(0), samples.total_commands(1)), (0, 9));
    }
}
