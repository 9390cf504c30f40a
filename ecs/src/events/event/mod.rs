//! Events: values that are delivered to observers immediately.
//!
//! When an event is triggered, it is immediately passed to each [observer](mod@crate::observer) of its type. A
//! [message](crate::message), in contrast, is stored until systems read it.
//!
//! An [`Event`] has no target. An [`EntityEvent`] has an entity as its target: in addition to the observers of all
//! events of the type, the observers of this entity run. The event may propagate from there to other entities: see
//! [`Traversal`].
// Tests: tests/observers

mod traits;
mod trigger;
mod lifecycle;
mod pairs;

pub use self::lifecycle::{
    Add, AddEvent, BeginMatch, BeginMatchEvent, Despawn, DespawnEvent, Discard, DiscardEvent, EndMatch, EndMatchEvent,
    Insert, InsertEvent, LifecycleEvent, Remove, RemoveEvent,
};
pub use self::pairs::{Relate, RemovedRelations, Unrelate};
pub use self::traits::{EntityEvent, Event, EventPattern, Moment, SetEntityEventTarget, Trigger};
pub use self::trigger::{EntityComponentsTrigger, EntityTrigger, GlobalTrigger, PropagateEntityTrigger, Traversal};
pub use crate::reexports::event::*;
