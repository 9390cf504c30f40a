//! Files of the core on loom's types: all orders of events that their atomics allow.
//!
//! The sanitizer's step leaves them out: under it loom takes ten times as long, and finds the same.

#![cfg(not(strata_nightly))]

extern crate alloc;

mod id_stream_model;
mod ready_queue_model;
mod pool_model;
mod settled_model;
mod turns_model;
