//! Who sees which changes, and when.

#![expect(elided_lifetimes_in_paths, reason = "as systems are written")]

mod consumers;
mod model;
mod operations;
mod parts;
mod structure;
mod watcher;
