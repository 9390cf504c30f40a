//! The table of ratios: the time of each contestant as a multiple of the baseline.

use std::fs::File;

use super::support::Bench;
use super::turns::{self, Turns};

/// Measures the selected workloads and prints a row for each contestant. With `--csv=FILE` the figures are written to a file, too.
/// Structural changes are also given as multiples of the work by hand without bookkeeping ("bare") and with the library's bookkeeping
/// ("honest").
pub(crate) fn run(benches: Vec<Bench>) {
    let mut figures = std::env::args().find_map(|argument| Some(open(argument.strip_prefix("--csv=")?)));
    let header =
        "| bench | | at most | measured | baseline, ns a row | of bare | of honest |\n|---|---|---|---|---|---|---|";
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
        let [bare, honest] = ["bare limit", "honest limit"].map(|limit| of(bench, turns, at, limit));
        let measured = ratio(turns, at, 0);
        println!(
            "| {} | {} | {at_most} | {measured:.2} | {baseline:.2} | {bare} | {honest} |",
            bench.name, contestant.name
        );
    }
}

/// The time of a contestant as a multiple of the contestant whose name starts with `limit`, or `-` if there is no such contestant.
fn of(bench: &Bench, turns: &Turns, at: usize, limit: &str) -> String {
    let limit = bench.contestants.iter().position(|contestant| contestant.name.starts_with(limit));
    limit.map_or_else(|| "-".to_owned(), |limit| format!("{:.2}", ratio(turns, at, limit)))
}

fn open(file: &str) -> csv::Writer<File> {
    let mut figures = csv::Writer::from_path(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    figures.write_record(["bench", "contestant", "ratio", "ns a row"]).expect("the figures can be written");
    figures
}

/// A line for each contestant, the baseline included.
fn write(figures: &mut csv::Writer<File>, bench: &Bench, turns: &Turns, baseline: f64) -> csv::Result<()> {
    for (at, contestant) in bench.contestants.iter().enumerate() {
        let ratio = ratio(turns, at, 0);
        let columns = [format!("{ratio:.3}"), format!("{:.3}", ratio * baseline)];
        figures.write_record([bench.name, contestant.name, &columns[0], &columns[1]])?;
    }
    Ok(figures.flush()?)
}

/// The median ratio of the times of two contestants.
fn ratio(turns: &Turns, at: usize, of: usize) -> f64 {
    median(turns.iter().map(|seconds| seconds[at] / seconds[of]))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
