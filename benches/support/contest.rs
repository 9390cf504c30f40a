//! Contestants that are compared with each other before they are timed.

use std::hint::black_box;
use std::time::Instant;

use super::bench::Sample;

/// The result of a workload so far, which must be equal for all contestants.
pub(crate) type Outcome = [u64; 3];

/// A workload, as implemented by one contestant.
pub(crate) trait Workload: 'static {
    /// Work between two runs that is not timed; nothing by default.
    fn before(&mut self) {}

    /// The work.
    fn run(&mut self);

    /// The result of all runs so far. Not timed.
    fn outcome(&mut self) -> Outcome;
}

/// Checks that a contestant produced the baseline's results in each of the first ticks.
///
/// # Panics
///
/// If the results differ: then the two do not do the same work.
pub(crate) fn checked_in<W: Workload>(ticks: usize, mut contestant: W, mut by_hand: impl Workload) -> W {
    for tick in 0..ticks {
        by_hand.before();
        by_hand.run();
        contestant.before();
        contestant.run();
        assert_eq!(contestant.outcome(), by_hand.outcome(), "{} in tick {tick}", std::any::type_name::<W>());
    }
    contestant
}

/// Times a workload without work between its runs.
pub(crate) fn in_a_row(mut workload: impl Workload) -> Sample {
    repeated(move || black_box(&mut workload).run())
}

/// Times work that can be repeated on the same data.
pub(crate) fn repeated(mut work: impl FnMut() + 'static) -> Sample {
    Box::new(move |runs| {
        let start = Instant::now();
        for _ in 0..runs {
            work();
        }
        start.elapsed()
    })
}
