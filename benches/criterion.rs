//! Runs the workloads of the table under criterion, each in a group with its baseline.
//!
//! ```text
//! cargo bench -p strata-benches --bench criterion                  # everything
//! cargo bench -p strata-benches --bench criterion -- iteration/    # the groups of one file: see `support`
//! ```

#[path = "support/driver.rs"]
mod driver;
#[path = "support/schedule/mod.rs"]
mod schedule;
mod support;

fn main() {
    let mut benches = support::benches();
    benches.extend(schedule::benches());
    driver::run(benches);
}
