//! [`World`]: everything in one place, as users see it.
//!
//! A facade over the [store](crate::store): it has no state of its own, and nothing below it knows it.

mod cast;
mod core_api;
mod entity_ref;
mod entity_mut;
mod entities;
mod selections;
mod columns;
mod query_state;
mod systems;
mod schedule_views;
mod resources;
mod messages;
mod changes;
mod removed;

pub use self::cast::World;
pub use self::entities::SpawnBatchIter;
pub use self::entity_mut::EntityWorldMut;
pub use self::entity_ref::{EntityMut, EntityRef};
pub use self::systems::{ExclusiveMarker, FromWorld, RunSystemOnce};
