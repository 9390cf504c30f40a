//! Observers: systems that run when an event is triggered.
//!
//! An observer is a system whose first parameter is [`On<E>`].
//! [`World::add_observer`](crate::world::World::add_observer) adds an observer of all events of the type.
//! [`EntityWorldMut::observe`](crate::world::EntityWorldMut::observe) adds an observer of the events of one entity.
//!
//! - Observers run in the order in which they were added. Observers of all events run before observers of the target.
//! - They receive the event itself, and may change it for the next observers.
//! - With [`#[observer]`](macro@crate::observer), a function can also take components of the target of the event.
//! - Observers can access everything that a system can. To make structural changes, they record commands. When the
//!   dispatch of the outermost event has ended, the commands are applied in the order of recording. After this, the
//!   code that triggered the event continues.
//! - Commands may trigger further events. The length of a chain of such events is limited: see
//!   [`World::set_event_limit`](crate::world::World::set_event_limit).
//! - If an observer fails, the others still run: see [`Observer::with_error_handler`].
//! - If an observer panics, the next observers are not notified. The commands recorded so far are applied by the next
//!   [`World::flush`](crate::world::World::flush).
//!
//! Operations trigger lifecycle events: [`Add`](crate::event::Add), [`Insert`](crate::event::Insert),
//! [`Discard`](crate::event::Discard), [`Remove`](crate::event::Remove) and [`Despawn`](crate::event::Despawn). Before
//! the operation, while the old values are in place, `Despawn`, `Discard` and `Remove` are dispatched, in this order.
//! After the operation, `Add` and `Insert` are dispatched. One operation is one call, or consecutive commands for one
//! entity. Observers are notified of its overall result: one observer after the other, each for all entities in the
//! order of rows. [`OnBatch`] observes the entities of a table in one call. [`ComponentHooks`] are functions that run
//! at the same times.
//!
//! - If one operation notifies an observer of several entities of a table, all its calls count as one run for change
//!   detection ([`Added`](crate::query::Added), [`Changed`](crate::query::Changed), [`Ref`](crate::change::Ref)). Each
//!   call sees the changes that were new in the first call, and the changes of the previous calls. After an error, a
//!   new run begins.
//! - If an observer or a hook panics, the operation is still completed, the remaining hooks and observers of the same
//!   stage are not notified, and then the panic is resumed. (Without the standard library, if the panic occurs before
//!   the operation, the operation does not take place.)
//! - If user code, such as a `Drop`, interrupts an operation, the events of the operation are dispatched with the next
//!   operation. In this case `Discard` may have been dispatched for values that stay, for instance when the closure of
//!   `insert_with` panics.
//!
//! An observer that is added to a world is not an entity, so it does not affect the ids of entities. [`ObserverId`]
//! identifies it. To remove an observer together with an entity, insert it into the entity as a component: see
//! [`Observer`].
// Tests: ecs/src/events/observer/tests.rs, tests/observers

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
