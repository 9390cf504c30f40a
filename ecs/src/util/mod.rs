//! Tools that do not depend on entities: memory, panics, errors, origins, hashes, interning, threads and SIMD.
//!
//! This room uses no other room.
//!
//! Tests: tests/loom, tests/simd, tests/memory/alloc_failure.rs

pub(crate) mod flags;
#[macro_use]
pub(crate) mod impls;
#[macro_use]
pub(crate) mod tuples;
pub(crate) mod const_panic;
pub(crate) mod guard;
pub(crate) mod mailbox;
pub(crate) mod prefetch;
pub(crate) mod type_name;
pub mod simd;
pub(crate) mod processor;
pub mod pool;
#[doc(hidden)]
pub mod alloc_error;
pub(crate) mod aligned_memory;
pub(crate) mod origin;
pub(crate) mod trace;
pub mod error;
pub(crate) mod id_map;
pub(crate) mod fnv;
pub(crate) mod state_hash;
pub(crate) mod interner;
#[cfg(feature = "std")]
pub(crate) mod parallel;
