//! What is measured: a list of workloads, each done by hand-written slices (the baseline) and by the library.
//!
//! The criterion benches and the `ratios` program run the same list, so they cannot disagree on what the work is.

mod access;
mod baseline;
mod bench;
mod books;
mod bulk;
pub(crate) mod changes;
mod commands;
pub(crate) mod contest;
pub(crate) mod data;
mod four;
mod iteration;
pub(crate) mod limits;
pub(crate) mod links;
pub(crate) mod messages;
mod events;
mod observed;
pub(crate) mod removed;
mod required;
mod shapes;
mod simd;
mod saves;
mod snapshots;
mod sparse;
mod structure;

use std::hint::black_box;
use std::time::{Duration, Instant};

pub(crate) use bench::{Bench, Contestant, Sample};
pub(crate) use contest::repeated;

/// Every workload except those of the schedule, in the order of the table in the README.
///
/// Those of the schedule have a thousand systems each, which not every bench target should have to compile.
pub(crate) fn benches() -> Vec<Bench> {
    [
        iteration::benches(),
        simd::benches(),
        structure::benches(),
        observed::benches(),
        events::benches(),
        required::benches(),
        bulk::benches(),
        sparse::benches(),
        commands::benches(),
        access::benches(),
        messages::benches(),
        changes::benches(),
        removed::benches(),
        links::benches(),
        snapshots::benches(),
        saves::benches(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Times four copies of the same work in turns.
///
/// Loops of a few iterations can take half as long again when their code happens to lie at unlucky addresses; one copy
/// would measure luck.
pub(crate) fn placed(mut copies: [Sample; 4]) -> Sample {
    Box::new(move |runs| {
        let each = runs.div_ceil(4);
        let total: Duration = copies.iter_mut().map(|copy| copy(each)).sum();
        total.mul_f64(runs as f64 / (each * 4) as f64)
    })
}

/// Times work that uses its input up. Neither making the input nor dropping the output is timed.
///
/// The memory of the output before is used again, so that what the operating system takes for fresh pages, which is the
/// same for everybody, does not hide the rest.
pub(crate) fn fresh<I: 'static, O: 'static>(
    mut make: impl FnMut() -> I + 'static,
    mut work: impl FnMut(I) -> O + 'static,
) -> Sample {
    keep_freed_memory();
    Box::new(move |runs| {
        let mut total = Duration::ZERO;
        for _ in 0..runs {
            let input = black_box(make());
            let start = Instant::now();
            let output = black_box(work(input));
            total += start.elapsed();
            drop(output);
        }
        total
    })
}

/// Times work on data that is kept, and then has it undone, which is not timed.
///
/// To be used where building the data anew would take much longer than the work. `undo` also checks that the work was
/// done.
pub(crate) fn undone<S: 'static>(
    mut data: S,
    mut work: impl FnMut(&mut S) + 'static,
    mut undo: impl FnMut(&mut S) + 'static,
) -> Sample {
    Box::new(move |runs| {
        let mut total = Duration::ZERO;
        for _ in 0..runs {
            let start = Instant::now();
            work(black_box(&mut data));
            total += start.elapsed();
            undo(&mut data);
        }
        total
    })
}

/// Makes glibc keep what is freed instead of giving it back: it raises its thresholds when a large block is freed. Other
/// allocators do not mind.
fn keep_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(31 << 20)));
}
