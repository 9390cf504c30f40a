//! Removals: which entities have lost which components.
//!
//! [`RemovedComponents`](crate::system::RemovedComponents) and [`RemovedValues`](crate::system::RemovedValues) read them in
//! systems; outside of systems [`World::removed_reader`](crate::world::World::removed_reader) and
//! [`World::removed_value_reader`](crate::world::World::removed_value_reader) do.
//!
//! **What is recorded.** Nothing, until there is a reader of removals of a component; then those of this component, from that
//! moment on, for as long as a reader exists. Tables and sparse storages say by a flag whether they concern a reader, so that
//! all others pay for one branch.
//!
//! **What a removal is.** An entity had the component before an operation and does not have it afterwards: because it was
//! removed, taken, replaced by a bundle without it, moved to another world, or despawned, alone or with others. A component
//! whose value is replaced is not removed. Several commands for one entity that follow each other are one operation: what
//! they remove and insert again is replaced, and what they insert and remove again the entity never had. Dropping a world
//! removes nothing.
//!
//! **In which order.** In that of the operations. Where many entities lose a component at once: in the order of the commands,
//! or else of their rows before, table by table. `World::clear_entities` goes through the tables, or for a sparse component
//! through its storage.
//!
//! **How long.** Until all readers have passed it, or until there are more than a [limit](crate::world::World::set_removed_limit)
//! of newer ones, of values by default no more than 64 MiB; then every reader that has not read it counts it as missed.

mod log;
mod reader;
mod record;

#[doc(hidden)]
pub use self::log::Log;
pub(crate) use self::log::LogCopy;
pub(crate) use self::reader::Cursor as RemovalCursor;
pub use self::reader::{RemovedComponentReader, RemovedIter, RemovedValueIter, RemovedValueReader};
pub(crate) use self::record::{Fate, Finish, RemovalRecord, Removals};
