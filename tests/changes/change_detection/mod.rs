//! Which systems see which changes, and when. Random histories are in `tests/model`.

#![expect(elided_lifetimes_in_paths, reason = "as systems are written")]

mod demand;
mod detect;
mod faults;
mod filters;
mod marks;
mod memory;
mod onlookers;
mod pairs;
mod parts;
mod patterns;
mod runs;
mod shared;
mod structure;
mod watcher;
mod wrapping;
