//! Loops over rows in every way that they can be written, and worlds to run them on.
//!
//! A crate of its own, since the workspace compiles it with optimisation: without, no loop is vectorised, and that the
//! variants of one agree would mean nothing. See `[profile.dev.package]` in the workspace's `Cargo.toml`.
#![expect(elided_lifetimes_in_paths, reason = "as systems are written")]

mod bodies;
mod rows;
mod sums;
mod values;
mod ways;

pub use bodies::LOOPS;
pub use rows::{Row, Table, read, spawn, write};
pub use sums::{SUMS, Totals};
pub use values::Random;
pub use ways::{Loop, Way};
