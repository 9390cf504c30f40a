//! Prints what the library costs as multiples of hand-written slices: the table of the README.
//!
//! ```text
//! cargo bench -p strata-benches --bench ratios                   # everything
//! cargo bench -p strata-benches --bench ratios -- spawn get      # workloads whose names contain one of the words
//! cargo bench -p strata-benches --bench ratios -- --quick        # fewer samples
//! cargo bench -p strata-benches --bench ratios -- --smoke        # every workload once, to see that it runs
//! ```

#[path = "support/schedule/mod.rs"]
mod schedule;
mod support;
#[path = "support/turns.rs"]
mod turns;

fn main() {
    let mut benches = support::benches();
    benches.extend(schedule::benches());
    let header = "| bench | | at most | measured | baseline, ns a row |\n|---|---|---|---|---|";
    turns::run(benches, header, |bench, turns| {
        let baseline = median(turns.iter().map(|seconds| seconds[0])) * 1e9 / bench.rows as f64;
        for (who, contestant) in bench.contestants.iter().enumerate().skip(1) {
            let at_most = contestant.at_most.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
            let ratio = median(turns.iter().map(|seconds| seconds[who] / seconds[0]));
            println!("| {} | {} | {at_most} | {ratio:.2} | {baseline:.2} |", bench.name, contestant.name);
        }
    });
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
