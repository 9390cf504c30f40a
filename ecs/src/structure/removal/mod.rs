//! Removals: which entities have lost which components.
//!
//! Systems read them with [`RemovedComponents`](crate::system::RemovedComponents) and [`RemovedValues`](crate::system::RemovedValues); code
//! outside of systems uses [`World::removed_reader`](crate::world::World::removed_reader) and
//! [`World::removed_value_reader`](crate::world::World::removed_value_reader).
//!
//! **What is recorded.** While readers of removals of a component exist, the removals of this component are recorded; otherwise nothing is
//! recorded. Tables and sparse storages have a flag that shows whether a reader is interested in them; operations on all other tables and
//! storages pay only for one branch.
//!
//! **What a removal is.** An entity had the component before an operation and does not have it afterwards: because it was removed, taken,
//! replaced by a bundle without it, moved to another world, or despawned, alone or with others. A component whose value is replaced is not
//! removed. Consecutive commands for one entity are one operation: a component that they remove and insert again counts as replaced, and a
//! component that they insert and remove again counts as never inserted. Dropping a world records no removals.
//!
//! **The order.** Removals are recorded in the order of the operations. If many entities lose a component in one operation, the order is
//! the order of the commands; without commands it is the order of the rows before the operation, table by table. `World::clear_entities`
//! visits the tables in order or, for a sparse component, the values in the storage.
//!
//! **How long.** An entry is kept until all readers have passed it, or until the number of newer entries exceeds a
//! [limit](crate::world::World::set_removed_limit). By default, values are also limited to 64 MiB. A reader that has not read an entry
//! before it is removed counts it as missed.
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
