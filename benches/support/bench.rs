//! A workload, and its contestants.

use std::time::Duration;

/// Runs the work the given number of times and returns the measured time.
pub(crate) type Sample = Box<dyn FnMut(u64) -> Duration>;

/// One way to do the work of a [`Bench`].
pub(crate) struct Contestant {
    /// The operation that does the work, such as `world.get`.
    pub(crate) name: &'static str,
    /// Upper limit of the cost as a multiple of the baseline, if one is promised.
    pub(crate) at_most: Option<f64>,
    /// Builds the data; not timed.
    pub(crate) prepare: fn() -> Sample,
}

impl Contestant {
    pub(crate) const fn new(name: &'static str, at_most: Option<f64>, prepare: fn() -> Sample) -> Self {
        Self { name, at_most, prepare }
    }
}

/// One workload.
pub(crate) struct Bench {
    /// The subject: the name of the file or folder that contains the workload. Criterion's group names begin with it. `driver.rs` lists the
    /// subjects that criterion runs.
    pub(crate) file: &'static str,
    /// The workload and its size.
    pub(crate) name: &'static str,
    /// How many rows or entities one run of the work handles.
    pub(crate) rows: usize,
    /// The contestants; the first is the baseline.
    pub(crate) contestants: Vec<Contestant>,
}
