#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
// The derive macros name this crate; inside it, and in its tests, the name must mean the crate itself.
#[cfg_attr(not(test), expect(unused_extern_crates, reason = "only examples and tests name it so far"))]
extern crate self as strata_ecs;

// From the lowest layer to the highest: each uses only those above it in this list.
#[macro_use]
mod tuples;
mod guard;
mod mailbox;
pub mod simd;
mod processor;
pub mod pool;
pub mod alloc_error;
mod origin;
mod trace;
mod id_map;
mod fnv;
mod interner;
pub mod entity;
pub mod component;
pub mod access;
mod term;
mod const_access;
mod tick;
mod tracking;
mod column;
mod transition;
pub mod table;
mod sparse;
pub mod removal;
mod graph;
pub mod bundle;
mod archetype;
pub mod resource;
#[cfg(feature = "std")]
mod non_send;
pub mod message;
pub mod event;
mod queue;
pub mod store;
mod cell;
pub mod change;
pub mod query;
pub mod selection;
pub mod command;
pub mod system;
pub mod label;
pub mod schedule;
pub mod world;
mod generated;
pub mod prelude;
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use prelude::*;

// For readers only: its examples are tested with the errors that they give, beside the other tests.
#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("error_index.md")]
pub mod error_index {}

/// What counts as a change, for whom it is new, and what it costs.
#[cfg(doc)]
#[doc = include_str!("change_detection.md")]
pub mod change_detection {}
