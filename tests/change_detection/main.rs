//! Who sees which changes, and when.

#![expect(elided_lifetimes_in_paths, reason = "as systems are written")]

mod consumers;
mod demand;
mod detect;
mod faults;
mod filters;
mod marks;
mod memory;
mod model;
mod operations;
mod parts;
mod runs;
mod structure;
mod watcher;
mod wrapping;
