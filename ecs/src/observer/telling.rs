//! Telling observers of an event.

use core::any::type_name;

use alloc::sync::Arc;

use super::observers::Observers;
use super::on::TriggerOf;
use super::told::with_observers;
use crate::command::{apply_reactions, defer_direct};
use crate::event::{Event, Trigger as _};
use crate::store::{CommandFailure, NotTold, Store};
use crate::world::World;

/// Tells the observers of a store of an event. False, and nothing has happened, if an event of its type is being told.
#[inline]
pub(super) fn trigger<E: Event>(store: &mut Store, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return true };
    // Ids that were reserved are entities for observers. While others are told they wait: an operation may be going on.
    store.flush();
    // What an observer has recorded before it triggers another event comes before what that one leads to, and has not been caused by it.
    defer_direct(store);
    let caller = store.entities.acting();
    let told = with_observers(store, number, caller, |observers, store| tell(observers, event, trigger, store));
    if told.is_none() {
        return not_told::<E>(store, number);
    }
    apply_reactions(store);
    true
}

/// The event has not been told. False if an event of its type is being told.
#[cold]
fn not_told<E: Event>(store: &mut Store, number: u32) -> bool {
    match store.reactions.not_told::<E>(number) {
        NotTold::Busy => return false,
        NotTold::Unobserved => {}
        NotTold::TooDeep(chain) => report::<E>(store, &alloc::format!("too many events led to it: {chain}")),
    }
    true
}

/// Tells observers of an event, where it goes on to as well.
#[inline]
fn tell<E: Event>(observers: &mut Observers<E>, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
    let mut target = trigger.first(event);
    let mut steps = 0;
    loop {
        observers.tell(target, event, trigger, store);
        target = trigger.next(event, &mut observers.state, World::from_store(store));
        if target.is_none() {
            return;
        }
        steps += 1;
        if steps > store.entities.len() {
            return report::<E>(store, "it goes on in a circle");
        }
    }
}

/// Tells the handler of errors that an event was not told, or not to all.
#[cold]
fn report<E: Event>(store: &mut Store, reason: &str) {
    let by = store.entities.acting();
    store.command_errors.report("trigger", type_name::<E>(), CommandFailure::Other(Arc::from(reason)), by);
}
