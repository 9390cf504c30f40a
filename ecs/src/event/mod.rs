//! Events: what observers are told of at once.
//!
//! An event is a value that is triggered and, at this moment, handed to each [observer](mod@crate::observer) of its type. That differs from a
//! [message](crate::message), which waits until systems read it.
//!
//! An [`Event`] has no target. An [`EntityEvent`] has one: besides the observers of all events of the type, those of this entity are
//! told of it. It may go on to other entities from there: see [`Traversal`].

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
pub use crate::map::event::*;
