//! Hands workloads to criterion, baseline and library in one group.

use criterion::{Criterion, Throughput};

use super::support::{Bench, Sample};

/// Runs those workloads that belong to one bench target.
pub(crate) fn run(benches: Vec<Bench>, file: &str) {
    let mut criterion = Criterion::default().configure_from_args();
    for bench in benches.into_iter().filter(|bench| bench.file == file) {
        let mut group = criterion.benchmark_group(bench.name);
        group.throughput(Throughput::Elements(bench.rows as u64));
        for contestant in &bench.contestants {
            if let Some(limit) = contestant.at_most {
                println!("{}: at most {limit} x {}", contestant.name, bench.contestants[0].name);
            }
            // Prepared when criterion first asks, so that what a filter leaves out costs nothing.
            let mut sample: Option<Sample> = None;
            group.bench_function(contestant.name, |bencher| {
                let sample = sample.get_or_insert_with(contestant.prepare);
                bencher.iter_custom(sample);
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
