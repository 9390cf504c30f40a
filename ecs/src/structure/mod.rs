//! Structural changes: bundles, the archetype graph with its plan cache, the store that carries out changes, and command queues.
//!
//! This module uses only lower layers. It upholds two invariants on which all unsafe code in higher layers relies: the location of an
//! entity names the row that holds its components, and every row below the length of a table is initialised in each column. An operation
//! restores both invariants before it runs a hook, an observer or the drop of a value.
//!
//! Tests: tests/storage, tests/model, tests/hazards

pub mod removal;
pub(crate) mod graph;
pub mod bundle;
pub(crate) mod archetype;
pub(crate) mod queue;
#[doc(hidden)]
pub mod store;
pub(crate) mod cell;
