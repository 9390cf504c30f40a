//! Measures contestants in turns.
//!
//! The speed of a noisy machine varies, so times that are taken one after the other are hardly comparable. Here all contestants of a
//! workload take turns in short samples. A ratio compares two samples of the same turn, and the median over all turns counts. The data is
//! rebuilt several times in between, because its memory location matters too.

use std::time::{Duration, Instant};

use super::support::{Bench, Sample};

/// How much to measure.
#[derive(Clone, Copy)]
struct Effort {
    /// The number of times that the data is rebuilt.
    builds: usize,
    /// Turns per build.
    turns: usize,
    /// How long one sample should take.
    sample: Duration,
    /// Time limit for one build, which may end the turns earlier.
    budget: Duration,
}

/// For figures that are published.
const FULL: Effort =
    Effort { builds: 7, turns: 60, sample: Duration::from_millis(1), budget: Duration::from_millis(1500) };
/// For a first look.
const QUICK: Effort =
    Effort { builds: 3, turns: 20, sample: Duration::from_millis(1), budget: Duration::from_millis(500) };

/// The times of a workload: for each turn, the seconds of every contestant.
pub(crate) type Turns = Vec<Vec<f64>>;

/// Prints `header` and measures the selected workloads, which are chosen by words in their names or by the names of their files. Calls
/// `report` with the times of each.
///
/// Without `--bench`, which `cargo bench` adds, or with `--smoke`, nothing is measured: each contestant runs once, to check that it works.
pub(crate) fn run(benches: Vec<Bench>, header: &str, mut report: impl FnMut(&Bench, &Turns)) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let names = |word: &&String, bench: &Bench| bench.name.contains(word.as_str()) || bench.file == *word;
    let chosen = |bench: &Bench| words.is_empty() || words.iter().any(|word| names(word, bench));
    let selected: Vec<Bench> = benches.into_iter().filter(chosen).collect();
    if has("--smoke") || !has("--bench") {
        for contestant in selected.iter().flat_map(|bench| &bench.contestants) {
            (contestant.prepare)()(1);
        }
        println!("{} workloads ran once each", selected.len());
        return;
    }
    println!("{header}");
    for bench in &selected {
        report(bench, &measure(bench, if has("--quick") { QUICK } else { FULL }));
    }
}

fn measure(bench: &Bench, effort: Effort) -> Turns {
    let count = bench.contestants.len();
    let mut turns = Turns::new();
    for build in 0..effort.builds {
        let mut samples: Vec<(Sample, u64)> =
            bench.contestants.iter().map(|c| calibrated((c.prepare)(), effort.sample)).collect();
        let start = Instant::now();
        for turn in 0..effort.turns {
            let mut seconds = vec![0.0; count];
            for step in 0..count {
                let contestant = (build + turn + step) % count;
                let (sample, runs) = &mut samples[contestant];
                seconds[contestant] = sample(*runs).as_secs_f64() / *runs as f64;
            }
            turns.push(seconds);
            if start.elapsed() > effort.budget && turn >= 4 {
                break;
            }
        }
    }
    turns
}

/// Warms a sample up and returns the number of runs that fill the sample time.
fn calibrated(mut sample: Sample, time: Duration) -> (Sample, u64) {
    sample(1);
    let mut runs = 1;
    loop {
        let taken = sample(runs);
        if taken * 2 > time || runs >= 1 << 20 {
            let scale = time.as_secs_f64() / taken.as_secs_f64().max(1e-9);
            return (sample, ((runs as f64 * scale) as u64).clamp(1, 1 << 20));
        }
        runs *= 2;
    }
}
