//! Prints what chains of row systems cost in strata and in bevy_ecs, as multiples of loops by hand.
//!
//! ```text
//! cargo bench --manifest-path benches/peers/Cargo.toml --bench pipelines            # everything
//! cargo bench --manifest-path benches/peers/Cargo.toml --bench pipelines -- 1M      # workloads whose names contain the word
//! ```

#[path = "../support/bench.rs"]
mod bench;
mod bevy_pipelines;
#[path = "../support/contest.rs"]
mod contest;
#[path = "../support/pipelines/mod.rs"]
mod pipelines;
#[path = "../support/table.rs"]
mod table;
#[path = "../support/turns.rs"]
mod turns;

/// The part of the module that is needed here: the other workloads take long to compile.
mod support {
    pub(crate) use crate::bench::{self, Bench, Sample};
    pub(crate) use crate::contest;
}

fn main() {
    let mut benches = pipelines::benches();
    for bench in &mut benches {
        bench.contestants.extend(bevy_pipelines::contestants(bench.name));
    }
    table::run(benches);
}
