//! Removals: which entities have lost which components.
//!
//! Systems read them with [`RemovedComponents`](crate::system::RemovedComponents) and [`RemovedValues`](crate::system::RemovedValues); code
//! outside of systems uses [`World::removed_reader`](crate::world::World::removed_reader) and
//! [`World::removed_value_reader`](crate::world::World::removed_value_reader).
//!
//! **What is recorded.** Nothing, until there is a reader of removals of a component; then the removals of this component, from that moment
//! on, while a reader exists. Tables and sparse storages have a flag that shows whether a reader is interested in them, so that all others
//! pay for one branch.
//!
//! **What a removal is.** An entity had the component before an operation and does not have it afterwards: because it was removed, taken,
//! replaced by a bundle without it, moved to another world, or despawned, alone or with others. A component whose value is replaced is not
//! removed. Consecutive commands for one entity are one operation: a component that they remove and insert again counts as replaced, and a
//! component that they insert and remove again counts as never inserted. Dropping a world records no removals.
//!
//! **The order.** The order of the operations. If many entities lose a component at once: the order of the commands, otherwise the order of
//! their rows before the operation, table by table. `World::clear_entities` visits the tables in order, or for a sparse component the
//! storage.
//!
//! **How long.** Until all readers have passed the entry, or until there are more than a [limit](crate::world::World::set_removed_limit) of
//! newer ones, for values by default at most 64 MiB; then every reader that has not read the entry counts it as missed.
// Tests: tests/changes/removed

mod log;
mod reader;
mod record;

pub(crate) use self::log::LogCopy;
#[doc(hidden)]
pub use self::log::RemovalLog;
pub(crate) use self::reader::LogCursor as RemovalCursor;
pub use self::reader::{RemovedComponentReader, RemovedIter, RemovedValueIter, RemovedValueReader};
pub(crate) use self::record::{FinishRemovals, RemovalRecord, Removals, ValueFate};
