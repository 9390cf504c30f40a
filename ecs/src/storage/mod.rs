//! Where values are stored: columns of tables, sparse sets, resources and messages, each with its change ticks.
//!
//! This room uses `util`, `entity` and `component`. It stores what it is given; which components an entity has, and when a row moves,
//! is decided by `structure`.
// Tests: tests/storage

pub(crate) mod tick;
pub(crate) mod tracking;
pub(crate) mod column;
pub(crate) mod column_places;
pub(crate) mod journal;
#[doc(hidden)]
pub mod table;
pub(crate) mod sparse;
#[doc(hidden)]
pub mod resource;
#[cfg(feature = "std")]
pub(crate) mod non_send;
#[doc(hidden)]
pub mod message;

pub use crate::reexports::storage::*;
