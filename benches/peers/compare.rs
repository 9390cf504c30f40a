//! Prints what strata, bevy_ecs and hecs cost as multiples of hand-written slices.
//!
//! ```text
//! cargo bench --manifest-path benches/peers/Cargo.toml                 # everything
//! cargo bench --manifest-path benches/peers/Cargo.toml -- spawn get    # workloads whose names contain one of the words
//! cargo bench --manifest-path benches/peers/Cargo.toml --features legion,flecs -- schedule/
//! ```

mod bevy;
mod bevy_changes;
mod bevy_events;
mod bevy_hunt;
mod bevy_links;
mod bevy_messages;
mod bevy_removed;
mod bevy_schedule;
mod bevy_structure;
#[cfg(feature = "flecs")]
mod flecs_iter;
#[cfg(feature = "flecs")]
mod flecs_schedule;
mod hecs_peer;
mod hecs_saves;
mod hecs_structure;
#[cfg(feature = "legion")]
mod legion_schedule;
#[path = "../support/schedule/mod.rs"]
mod schedule;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/table.rs"]
mod table;
mod transforms;
#[path = "../support/turns.rs"]
mod turns;

fn main() {
    let mut benches = support::benches();
    benches.extend(schedule::benches());
    for bench in &mut benches {
        bench.contestants.extend(bevy::contestants(bench.name));
        bench.contestants.extend(bevy_structure::contestants(bench.name));
        bench.contestants.extend(bevy_changes::contestants(bench.name));
        bench.contestants.extend(bevy_events::contestants(bench.name));
        bench.contestants.extend(bevy_links::contestants(bench.name));
        bench.contestants.extend(bevy_messages::contestants(bench.name));
        bench.contestants.extend(bevy_removed::contestants(bench.name));
        bench.contestants.extend(bevy_schedule::contestants(bench.name));
        bench.contestants.extend(hecs_peer::contestants(bench.name));
        bench.contestants.extend(hecs_saves::contestants(bench.name));
        bench.contestants.extend(hecs_structure::contestants(bench.name));
        #[cfg(feature = "legion")]
        bench.contestants.extend(legion_schedule::contestants(bench.name));
        #[cfg(feature = "flecs")]
        bench.contestants.extend(flecs_iter::contestants(bench.name));
        #[cfg(feature = "flecs")]
        bench.contestants.extend(flecs_schedule::contestants(bench.name));
    }
    benches.extend(transforms::benches());
    table::run(benches);
}
