//! Passes workloads to criterion, baseline and library in one group.

use criterion::{Criterion, Throughput};

use super::support::{Bench, Sample};

/// The files whose workloads criterion runs.
const FILES: [&str; 8] = ["access", "changes", "iteration", "links", "saves", "schedule", "snapshots", "structure"];

/// Runs the workloads, each in a group that is named by its file and itself.
pub(crate) fn run(benches: Vec<Bench>) {
    let mut criterion = Criterion::default().configure_from_args();
    for bench in benches.into_iter().filter(|bench| FILES.contains(&bench.file)) {
        let mut group = criterion.benchmark_group(group_of(&bench));
        group.throughput(Throughput::Elements(bench.rows as u64));
        for contestant in &bench.contestants {
            if let Some(limit) = contestant.at_most {
                println!("{}: at most {limit} x {}", contestant.name, bench.contestants[0].name);
            }
            // Built on criterion's first call, so that workloads excluded by a filter cost nothing.
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

/// The criterion group of a workload. Names of schedule workloads begin with the name of their file.
fn group_of(bench: &Bench) -> String {
    let name = bench.name;
    name.strip_prefix(bench.file)
        .and_then(|rest| rest.strip_prefix('/'))
        .map_or_else(|| format!("{}/{name}", bench.file), |_| name.to_owned())
}
