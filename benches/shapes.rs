//! Finds the fastest shape of a loop over rows with each instruction set: the number of rows per iteration.
//!
//! ```text
//! cargo bench -p strata-benches --bench shapes                   # every body
//! cargo bench -p strata-benches --bench shapes -- vec3 matrix    # bodies whose names contain one of the words
//! cargo bench -p strata-benches --bench shapes -- --quick        # fewer samples
//! cargo bench -p strata-benches --bench shapes -- --smoke        # whether all shapes come to the same result
//! ```
//!
//! A row of the table is a body with an instruction set. It shows the time of each shape as a multiple of the best shape of this set, then
//! the time of the library's chosen shape, as a multiple of the best shape and of the baseline with all rows at once. At the end are the
//! bodies for which another shape, or the baseline, would have been more than 5 % faster.

#[path = "support/rows/mod.rs"]
mod rows;
#[path = "support/bench.rs"]
mod support;
#[path = "support/turns.rs"]
mod turns;

use rows::{CHOSEN, sets};
use support::Bench;
use turns::Turns;

/// The tolerated factor of the chosen shape relative to the best one.
const TOLERANCE: f64 = 1.05;

fn main() {
    if std::env::args().any(|argument| argument == "--smoke") {
        rows::compare();
    }
    let benches = rows::benches();
    let shapes: Vec<&str> = benches[0].contestants[..CHOSEN].iter().map(|contestant| contestant.name).collect();
    let header = format!(
        "| body | instructions | {} | chosen / best | chosen / baseline | chosen, ns a row |\n|---|---|{}---|---|---|",
        shapes.join(" | "),
        "---|".repeat(CHOSEN)
    );
    let mut lost = Vec::new();
    turns::run(benches, &header, |bench, measured| report(bench, measured, &mut lost));
    lost.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (what, loss) in lost {
        println!("{what}: {:.0} %", (loss - 1.0) * 100.0);
    }
}

/// Prints the results of a body, and records where the chosen shape is not the best one.
///
/// The minimum time of each shape counts: the loops take a few microseconds, and disturbances only add to their time.
fn report(bench: &Bench, turns: &Turns, lost: &mut Vec<(String, f64)>) {
    let least: Vec<f64> = (0..bench.contestants.len())
        .map(|contestant| turns.iter().map(|seconds| seconds[contestant]).fold(f64::INFINITY, f64::min))
        .collect();
    for (set, times) in sets().iter().zip(least.chunks(CHOSEN + 1)) {
        let best = times.iter().copied().fold(f64::INFINITY, f64::min);
        let shapes: Vec<String> = times[..CHOSEN].iter().map(|time| format!("{:.2}", time / best)).collect();
        let (loss, ratio) = (times[CHOSEN] / best, times[CHOSEN] / least[0]);
        let (shapes, nanoseconds) = (shapes.join(" | "), times[CHOSEN] * 1e9 / bench.rows as f64);
        println!("| {} | {set:?} | {shapes} | {loss:.2} | {ratio:.2} | {nanoseconds:.3} |", bench.name);
        if loss > TOLERANCE {
            lost.push((format!("{}, {set:?}, loses against the best shape", bench.name), loss));
        }
        if bench.contestants[CHOSEN].at_most.is_some_and(|limit| ratio > limit) {
            lost.push((format!("{}, {set:?}, loses against the baseline", bench.name), ratio));
        }
    }
}
