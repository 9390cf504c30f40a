//! A workload, and its contestants.

use std::time::Duration;

/// Runs the work as often as asked and returns the time that counts.
pub(crate) type Sample = Box<dyn FnMut(u64) -> Duration>;

/// One way to do the work of a [`Bench`].
pub(crate) struct Contestant {
    /// What does it, such as `world.get`.
    pub(crate) name: &'static str,
    /// The most that this may cost, as a multiple of the baseline, where that is promised.
    pub(crate) at_most: Option<f64>,
    /// Builds the data, outside of any timing.
    pub(crate) prepare: fn() -> Sample,
}

impl Contestant {
    pub(crate) const fn new(name: &'static str, at_most: Option<f64>, prepare: fn() -> Sample) -> Self {
        Self { name, at_most, prepare }
    }
}

/// One workload.
pub(crate) struct Bench {
    /// What it is about, which is the file that it is written in or the folder: criterion's groups begin with it. `driver.rs`
    /// lists those that criterion runs.
    pub(crate) file: &'static str,
    /// The workload and its size.
    pub(crate) name: &'static str,
    /// How many rows or entities one run of the work handles.
    pub(crate) rows: usize,
    /// The contestants; the first is the baseline.
    pub(crate) contestants: Vec<Contestant>,
}
