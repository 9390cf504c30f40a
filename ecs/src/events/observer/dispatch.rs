//! Dispatching triggered events to their observers.
//!
//! Tests: ecs/src/events/observer/tests.rs, tests/observers/order.rs

use core::any::type_name;

use super::observers::Observers;
use super::on::TriggerOf;
use crate::events::event::{Event, Trigger as _};
use crate::structure::store::Store;
use crate::system::commands::{apply_observer_commands, defer_world_commands};
use crate::world::{DispatchGuard, World, report_not_dispatched, report_trigger};

/// Dispatches an event, and applies the commands of the observers. If an event of the same type is being dispatched,
/// returns false without notifying an observer.
#[inline]
pub(super) fn trigger<E: Event>(store: &mut Store, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let Some(number) = store.events.dispatch.number::<E>(E::slot()) else { return true };
    if !store.events.dispatch.is_idle() || store.structure.entities.needs_flush() {
        return trigger_nested(store, number, event, trigger);
    }
    dispatch_and_apply(store, number, event, trigger)
}

#[cold]
#[inline(never)]
fn trigger_nested<E: Event>(store: &mut Store, number: u32, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    // Reserved ids become entities before observers run. During another dispatch `flush` leaves them reserved, because an operation may be
    // in progress.
    store.flush();
    // Commands that an observer has recorded before it triggers this event are applied before the commands of this event, because the event
    // is not their cause.
    defer_world_commands(store);
    dispatch_and_apply(store, number, event, trigger)
}

#[inline(always)]
fn dispatch_and_apply<E: Event>(store: &mut Store, number: u32, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let is_dispatched = dispatch(store, number, event, trigger);
    apply_observer_commands(store);
    is_dispatched
}

/// Runs the observers of an event. Their commands are deferred. If an event of the same type is being dispatched,
/// returns false without notifying an observer.
#[inline(always)]
pub(super) fn dispatch<E: Event>(store: &mut Store, number: u32, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let caller = store.structure.entities.caller();
    let Some(mut observers) = store.events.dispatch.begin_event::<E, Observers<E>>(number, caller) else {
        return report_not_dispatched(store, number);
    };
    let guard = DispatchGuard { store };
    propagate(&mut observers, event, trigger, guard.store);
    guard.end();
    drop(observers);
    true
}

/// Notifies the observers of an event, for each target that it propagates to.
#[inline(always)]
fn propagate<E: Event>(observers: &mut Observers<E>, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
    let mut target = trigger.first(event);
    let mut steps = 0;
    loop {
        observers.notify_of_event(target, event, trigger, store);
        target = trigger.next(event, &mut observers.state, World::from_store(store));
        if target.is_none() {
            return;
        }
        steps += 1;
        if steps > store.structure.entities.len() {
            return report_trigger(store, type_name::<E>(), "it goes on in a circle");
        }
    }
}
