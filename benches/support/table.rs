//! The table of ratios: what each contestant takes as a multiple of the baseline.

use std::fs::File;

use super::support::Bench;
use super::turns::{self, Turns};

/// Measures the workloads that the program was asked for and prints a row for each contestant. With `--csv=FILE` the figures are
/// written to a file, too.
pub(crate) fn run(benches: Vec<Bench>) {
    let mut figures = std::env::args().find_map(|argument| Some(open(argument.strip_prefix("--csv=")?)));
    let header = "| bench | | at most | measured | baseline, ns a row |\n|---|---|---|---|---|";
    turns::run(benches, header, |bench, turns| {
        let baseline = median(turns.iter().map(|seconds| seconds[0])) * 1e9 / bench.rows as f64;
        print(bench, turns, baseline);
        if let Some(figures) = &mut figures {
            write(figures, bench, turns, baseline).expect("the figures can be written");
        }
    });
}

fn print(bench: &Bench, turns: &Turns, baseline: f64) {
    for (at, contestant) in bench.contestants.iter().enumerate().skip(1) {
        let at_most = contestant.at_most.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
        println!("| {} | {} | {at_most} | {:.2} | {baseline:.2} |", bench.name, contestant.name, ratio(turns, at));
    }
}

fn open(file: &str) -> csv::Writer<File> {
    let mut figures = csv::Writer::from_path(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    figures.write_record(["bench", "contestant", "ratio", "ns a row"]).expect("the figures can be written");
    figures
}

/// A line for each contestant, the baseline included.
fn write(figures: &mut csv::Writer<File>, bench: &Bench, turns: &Turns, baseline: f64) -> csv::Result<()> {
    for (at, contestant) in bench.contestants.iter().enumerate() {
        let ratio = ratio(turns, at);
        let columns = [format!("{ratio:.3}"), format!("{:.3}", ratio * baseline)];
        figures.write_record([bench.name, contestant.name, &columns[0], &columns[1]])?;
    }
    Ok(figures.flush()?)
}

fn ratio(turns: &Turns, at: usize) -> f64 {
    median(turns.iter().map(|seconds| seconds[at] / seconds[0]))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
