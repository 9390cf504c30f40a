//! Telling observers of an event.

use core::any::type_name;

use alloc::sync::Arc;

use super::observers::Observers;
use super::on::TriggerOf;
use super::told::Told;
use crate::command::{apply_reactions, defer_direct};
use crate::event::{Event, Trigger as _};
use crate::store::{CommandFailure, NotTold, Store};
use crate::world::World;

/// Tells the observers of a store of an event. False, and nothing has happened, if an event of its type is being told.
#[inline]
pub(super) fn trigger<E: Event>(store: &mut Store, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let Some(number) = store.reactions.number::<E>(E::slot()) else { return true };
    if !store.reactions.is_idle() || store.structure.entities.needs_flush() {
        return trigger_with_care(store, number, event, trigger);
    }
    trigger_now(store, number, event, trigger)
}

/// The same, where something has to be done first. It stands apart, so that the other way keeps its registers.
#[cold]
#[inline(never)]
fn trigger_with_care<E: Event>(store: &mut Store, number: u32, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    // Ids that were reserved are entities for observers. While others are told they wait: an operation may be going on.
    store.flush();
    // What an observer has recorded before it triggers another event comes before what that one leads to, and has not been caused by it.
    defer_direct(store);
    trigger_now(store, number, event, trigger)
}

#[inline(always)]
fn trigger_now<E: Event>(store: &mut Store, number: u32, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let is_told = dispatch(store, number, event, trigger);
    apply_reactions(store);
    is_told
}

/// Runs the observers of an event; what they record waits. Returns false if an event of its type is being dispatched.
#[inline(always)]
pub(super) fn dispatch<E: Event>(store: &mut Store, number: u32, event: &mut E, trigger: &mut TriggerOf<E>) -> bool {
    let caller = store.structure.entities.acting();
    let Some((mut observers, told)) = Told::begin(store, number, caller) else { return not_told::<E>(store, number) };
    tell(&mut observers, event, trigger, told.store);
    told.end();
    drop(observers);
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
#[inline(always)]
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
        if steps > store.structure.entities.len() {
            return report::<E>(store, "it goes on in a circle");
        }
    }
}

/// Tells the handler of errors that an event was not told, or not to all.
#[cold]
fn report<E: Event>(store: &mut Store, reason: &str) {
    let by = store.structure.entities.acting();
    store.commands.errors.report("trigger", type_name::<E>(), CommandFailure::Other(Arc::from(reason)), by);
}
