//! Observers: systems that run at the moment at which an event is triggered.
//!
//! An observer is a system whose first parameter is [`On<E>`]. [`World::add_observer`](crate::world::World::add_observer) adds one for
//! all events of the type, [`EntityWorldMut::observe`](crate::world::EntityWorldMut::observe) one for the events of an entity.
//!
//! - Observers run in the order in which they were added; those of all events run before those of the target.
//! - They are handed the event itself, and may change it for those behind them.
//! - With [`#[observer]`](macro@crate::observer) a function takes components of the target of the event, too.
//! - They can borrow whatever a system can. The structure of the world they change by commands, which are applied when the outermost
//!   event has been told, in the order of recording, before the code that has triggered it goes on.
//! - Commands may trigger events in turn. How many events may lead to each other is limited: see
//!   [`World::set_event_limit`](crate::world::World::set_event_limit).
//! - An observer that fails does not keep the others from running: see [`Observer::with_error_handler`].
//! - If an observer panics, those behind it are not told, and the commands that observers have recorded so far are applied by the next
//!   [`World::flush`](crate::world::World::flush).
//!
//! Operations trigger events of the life of components: [`Add`](crate::event::Add), [`Insert`](crate::event::Insert),
//! [`Discard`](crate::event::Discard), [`Remove`](crate::event::Remove) and [`Despawn`](crate::event::Despawn). They tell
//! `Despawn`, `Discard` and `Remove`, in this order, before they begin, while old values are in place, and `Add` and `Insert` when
//! everything is there. One operation is one call, or the commands for one entity that follow each other; its result on the whole is
//! told, observer by observer over all its entities, in the order of rows. [`OnBatch`] observes the entities of a table in one call.
//! [`ComponentHooks`] are functions that run at the same moments.
//!
//! - An observer that is told of several entities of a table, of one operation, runs once for what is new to it
//!   ([`Added`](crate::query::Added), [`Changed`](crate::query::Changed), [`Ref`](crate::change::Ref)): in each of the calls that is what
//!   was new in the first one, and what the calls before have changed. After an error a new run begins.
//! - If an observer or a hook panics, the operation is completed all the same, the rest is not told of that moment, and the panic goes on
//!   then. (Without the standard library, an operation before which one panics does not take place.)
//! - If a `Drop` or other code of the user breaks an operation off, what has come by it is told with the next operation. `Discard` may have
//!   been told then of values that stay, as when the closure of `insert_with` panics.
//!
//! An observer that is added to a world is no entity: it does not change which ids entities get. [`ObserverId`] is its handle. To have
//! one end with an entity, give it to that as a component: see [`Observer`].

mod id;
mod on;
mod input;
mod matched;
mod watching;
mod rare;
mod observers;
mod describe;
mod dispatch;
mod hooks;
mod api;
mod pairs;
mod explain;
#[cfg(test)]
mod tests;

pub use self::describe::{
    IntoEntityObserver, IntoObserver, Observer, ObserverKind, ObserverSystemExt, ObserverWithCondition,
};
pub use self::explain::EventExplanation;
pub use self::hooks::ComponentHooks;
pub use self::id::ObserverId;
pub use self::input::{EventOf, Observed, ObserverInput, OnBatch, OnBatchInput};
pub use self::on::{On, OnAbout, OnInput};
pub(crate) use self::pairs::register_relation;
pub use crate::component::{ComponentHook, HookContext};
