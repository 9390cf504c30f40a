//! Prints the cost of chains of row systems as multiples of loops by hand, with pipelines and without.
//!
//! ```text
//! cargo bench -p strata-benches --bench pipelines                  # everything
//! cargo bench -p strata-benches --bench pipelines -- 1M            # workloads whose names contain the word
//! cargo bench -p strata-benches --bench pipelines -- --smoke       # every workload once, to see that it runs
//! ```

#[path = "support/pipelines/mod.rs"]
mod pipelines;
#[path = "support/table.rs"]
mod table;
#[path = "support/turns.rs"]
mod turns;

/// The required part of `support`: the other workloads take a while to compile.
mod support {
    pub(crate) mod bench;
    pub(crate) mod contest;

    pub(crate) use bench::{Bench, Sample};
}

fn main() {
    table::run(pipelines::benches());
}
