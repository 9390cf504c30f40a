//! Systems and their parameters, outside of schedules.

mod combined;
mod conditions;
mod disjoint;
mod error_handler;
mod errors;
mod keys;
mod labels;
mod missing_resources;
mod one_shot;
mod parallel;
mod params;
mod paths;
#[rustfmt::skip] // Written by a test.
mod public_paths;
mod row_systems;
mod systems;
mod user_crates;

/// Counts and fails for each thread by itself; tests that do not ask for it are not affected.
#[global_allocator]
static ALLOCATOR: strata_tests::alloc::Allocator = strata_tests::alloc::Allocator;
