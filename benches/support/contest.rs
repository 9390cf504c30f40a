//! Contestants that are compared with each other before they are timed.

use std::hint::black_box;
use std::time::Instant;

use super::bench::Sample;

/// What a workload has come to so far, on which all contestants must agree.
pub(crate) type Outcome = [u64; 3];

/// A workload, as one of the contestants does it.
pub(crate) trait Workload: 'static {
    /// What stands between two runs and is not measured, if there is such a thing.
    fn before(&mut self) {}

    /// The work.
    fn run(&mut self);

    /// What the runs so far came to. Not measured.
    fn outcome(&mut self) -> Outcome;
}

/// A contestant that came to the same as the baseline in each of the first ticks.
///
/// # Panics
///
/// If it did not: then the two do not do the same work.
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

/// Times a workload that has nothing to do between its runs.
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
