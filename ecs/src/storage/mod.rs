//! The storage of a world: tables of entities with the same components, sparse storages, resources and messages.
// This room holds the values of a world, each with its change ticks: columns of tables, sparse sets, resources and messages. It uses the
// rooms `util`, `entity` and `component`. `structure` decides which components an entity has, and when a row moves.
// Tests: tests/storage, tests/changes

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
