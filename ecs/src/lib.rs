#![doc = include_str!("guide/front.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
// Macro output names this crate; inside of the crate and its tests, the name must refer to the crate itself.
extern crate self as strata_ecs;

// The rooms, from the lowest to the highest: each room uses only rooms above it in this list.
#[macro_use]
mod util;
pub mod entity;
pub mod component;
pub mod storage;
pub mod access;
mod relations;
mod structure;
pub mod query;
pub mod system;
pub mod schedule;
pub mod world;
mod events;
pub mod snapshot;
#[doc(hidden)]
pub mod macro_support;
mod reexports;
pub mod prelude;

pub use self::reexports::root::*;
pub use prelude::*;

// The pages of the documentation. The examples of the error index are tested separately, together with their expected errors.

#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("guide/error_index.md")]
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

// This item exists for the documentation tests of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
