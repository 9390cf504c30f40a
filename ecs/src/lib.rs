#![doc = include_str!("guide/front.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
// Macro output names this crate; inside of the crate and its tests, the name must refer to the crate itself.
extern crate self as strata_ecs;

// From the lowest layer to the highest: each module uses only modules above it in this list.
mod flags;
#[macro_use]
mod impls;
#[macro_use]
mod tuples;
mod const_panic;
mod guard;
mod mailbox;
mod prefetch;
pub mod simd;
mod processor;
pub mod pool;
#[doc(hidden)]
pub mod alloc_error;
mod aligned_memory;
mod origin;
mod trace;
pub mod error;
mod id_map;
mod fnv;
mod state_hash;
mod interner;
#[cfg(feature = "std")]
mod parallel;
pub mod entity;
pub mod component;
pub mod entity_disabling;
pub mod access;
mod term;
mod const_access;
mod tick;
mod tracking;
mod column;
mod column_places;
mod transition;
mod journal;
#[doc(hidden)]
pub mod table;
mod sparse;
pub mod removal;
pub mod relation;
mod graph;
pub mod bundle;
mod archetype;
pub mod resource;
#[cfg(feature = "std")]
mod non_send;
pub mod message;
mod queue;
#[doc(hidden)]
pub mod store;
mod cell;
pub mod change;
pub mod relationship;
pub mod query;
pub mod name;
pub mod hierarchy;
pub mod selection;
pub mod command;
pub mod system;
pub mod label;
pub mod schedule;
pub mod world;
pub mod event;
pub mod observer;
pub mod snapshot;
mod generated;
mod map;
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod macros;
pub mod prelude;

#[cfg(feature = "std")]
pub use self::map::utils;
pub use self::map::{batching, change_detection, intern, lifecycle, ptr, spawn, storage, traversal};
pub use prelude::*;

// The pages of the documentation. The examples of the index are tested separately, together with their expected errors.

#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("error_index.md")]
pub mod error_index {}

#[cfg(doc)]
#[doc = include_str!("guide/how_to.md")]
pub mod how_to {}

#[cfg(doc)]
#[doc = include_str!("guide/events.md")]
pub mod events_and_hooks {}

#[cfg(doc)]
#[doc = include_str!("guide/relations.md")]
pub mod hierarchies_and_relations {}

#[cfg(doc)]
#[doc = include_str!("guide/deterministic.md")]
pub mod deterministic {}

#[cfg(doc)]
#[doc = include_str!("guide/loop_performance.md")]
pub mod loop_performance {}

#[cfg(doc)]
#[doc = include_str!("guide/from_bevy.md")]
#[doc = include_str!("guide/from_bevy_methods.md")]
pub mod from_bevy {}

#[cfg(doc)]
#[doc = include_str!("guide/from_hecs.md")]
pub mod from_hecs {}

#[cfg(doc)]
#[doc = include_str!("guide/from_legion.md")]
pub mod from_legion {}

#[cfg(doc)]
#[doc = include_str!("guide/feature_flags.md")]
pub mod feature_flags {}

// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
