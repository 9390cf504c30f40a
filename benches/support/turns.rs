//! Measures contestants in turns.
//!
//! A noisy machine changes its speed from one moment to the next, so times taken one after the other say little about
//! each other. Here all contestants of a workload take turns in short samples; a ratio is made of two samples of the
//! same turn, and the median over all turns counts. The data is built anew several times in between, because where it
//! happens to lie in memory matters too.

use std::fs::File;
use std::time::{Duration, Instant};

use super::support::{Bench, Sample};

/// How much to measure.
#[derive(Clone, Copy)]
struct Effort {
    /// How often the data is built anew.
    builds: usize,
    /// Turns per build.
    turns: usize,
    /// How long one sample should take.
    sample: Duration,
    /// What one build may take altogether, if that ends the turns earlier.
    budget: Duration,
}

/// For figures that are published.
const FULL: Effort =
    Effort { builds: 7, turns: 60, sample: Duration::from_millis(1), budget: Duration::from_millis(1500) };
/// For a first look.
const QUICK: Effort =
    Effort { builds: 3, turns: 20, sample: Duration::from_millis(1), budget: Duration::from_millis(500) };

/// Measures the workloads that the program was asked for, by words in their names or by the names of their files, and
/// prints a table.
///
/// Without `--bench`, which `cargo bench` adds, or with `--smoke`, nothing is measured: each contestant runs once, to
/// see that it does. With `--csv FILE` the figures are written to a file, too.
pub(crate) fn run(benches: Vec<Bench>) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let file = arguments.iter().position(|argument| argument == "--csv").map(|at| at + 1);
    let is_word = |&(at, argument): &(usize, &String)| !argument.starts_with("--") && Some(at) != file;
    let words: Vec<&String> = arguments.iter().enumerate().filter(is_word).map(|(_, argument)| argument).collect();
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
    let mut table = file.map(|at| {
        let file = arguments.get(at).expect("--csv is followed by the name of a file");
        csv::Writer::from_path(file).unwrap_or_else(|error| panic!("{file}: {error}"))
    });
    if let Some(table) = &mut table {
        table.write_record(["bench", "contestant", "ratio", "ns a row"]).expect("the figures can be written");
    }
    println!("| bench | | at most | measured | baseline, ns a row |");
    println!("|---|---|---|---|---|");
    for bench in &selected {
        let (ratios, baseline) = measure(bench, if has("--quick") { QUICK } else { FULL });
        let nanoseconds = baseline * 1e9 / bench.rows as f64;
        print_rows(bench, &ratios, nanoseconds);
        if let Some(table) = &mut table {
            write_rows(table, bench, &ratios, nanoseconds).expect("the figures can be written");
        }
    }
}

fn print_rows(bench: &Bench, ratios: &[f64], nanoseconds: f64) {
    for (contestant, ratio) in bench.contestants.iter().zip(ratios).skip(1) {
        let at_most = contestant.at_most.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
        println!("| {} | {} | {at_most} | {ratio:.2} | {nanoseconds:.2} |", bench.name, contestant.name);
    }
}

/// A line for each contestant, the baseline included, under a line of headings.
fn write_rows(table: &mut csv::Writer<File>, bench: &Bench, ratios: &[f64], nanoseconds: f64) -> csv::Result<()> {
    for (contestant, ratio) in bench.contestants.iter().zip(ratios) {
        let figures = [format!("{ratio:.3}"), format!("{:.3}", ratio * nanoseconds)];
        table.write_record([bench.name, contestant.name, &figures[0], &figures[1]])?;
    }
    Ok(table.flush()?)
}

/// The median ratio of every contestant to the baseline, and the median of the baseline in seconds.
fn measure(bench: &Bench, effort: Effort) -> (Vec<f64>, f64) {
    let count = bench.contestants.len();
    let mut ratios = vec![Vec::new(); count];
    let mut baselines = Vec::new();
    for build in 0..effort.builds {
        let mut samples: Vec<(Sample, u64)> =
            bench.contestants.iter().map(|c| calibrated((c.prepare)(), effort.sample)).collect();
        let start = Instant::now();
        for turn in 0..effort.turns {
            let mut seconds = vec![0.0; count];
            for step in 0..count {
                let who = (build + turn + step) % count;
                let (sample, runs) = &mut samples[who];
                seconds[who] = sample(*runs).as_secs_f64() / *runs as f64;
            }
            baselines.push(seconds[0]);
            for (ratios, taken) in ratios.iter_mut().zip(&seconds) {
                ratios.push(taken / seconds[0]);
            }
            if start.elapsed() > effort.budget && turn >= 4 {
                break;
            }
        }
    }
    (ratios.into_iter().map(median).collect(), median(baselines))
}

/// Warms a sample up and finds how many runs fill the time.
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

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
