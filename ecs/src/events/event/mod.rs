//! Events: values that are delivered to observers immediately.
//!
//! An event is a value that is passed to each [observer](mod@crate::observer) of its type at the moment when it is triggered. A
//! [message](crate::message), in contrast, is stored until systems read it.
//!
//! An [`Event`] has no target. An [`EntityEvent`] has one: the observers of this entity run, in addition to the observers of all
//! events of the type. The event may propagate from there to other entities: see [`Traversal`].
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
