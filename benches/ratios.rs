//! Prints the cost of the library as multiples of hand-written slices: the table of the README.
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
#[path = "support/table.rs"]
mod table;
#[path = "support/turns.rs"]
mod turns;

fn main() {
    let mut benches = support::benches();
    benches.extend(schedule::benches());
    table::run(benches);
}
