//! The list of measured workloads, each implemented with hand-written slices (the baseline) and with the library.
//!
//! The criterion benches and the `ratios` program run the same list, so that their workloads are identical.

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

/// All workloads except those of the schedule, in the order of the table in the README.
///
/// The schedule workloads have a thousand systems each, which not every bench target should have to compile.
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
/// Loops of a few iterations can take half as long again at unlucky code addresses; a single copy would measure code placement.
pub(crate) fn placed(mut copies: [Sample; 4]) -> Sample {
    Box::new(move |runs| {
        let each = runs.div_ceil(4);
        let total: Duration = copies.iter_mut().map(|copy| copy(each)).sum();
        total.mul_f64(runs as f64 / (each * 4) as f64)
    })
}

/// Times work that consumes its input. Neither building the input nor dropping the output is timed.
///
/// The memory of the previous output is reused, so that the cost of fresh pages from the operating system, which is equal for all
/// contestants, does not hide the rest.
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

/// Times work on data that is kept, and then undoes it with `undo`, which is not timed.
///
/// For data that takes much longer to build than the work takes. `undo` also checks that the work was done.
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

/// Makes glibc keep freed memory instead of returning it to the operating system: glibc raises its thresholds when a large block is freed.
/// No effect on other allocators.
fn keep_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(31 << 20)));
}
