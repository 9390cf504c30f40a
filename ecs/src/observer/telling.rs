//! Telling observers of an event.

use core::any::type_name;

use alloc::sync::Arc;

use super::observers::{Observers, typed};
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
    // Ids that were reserved are entities for observers. While others are told they wait: an operation may be going on.
    store.flush();
    // What an observer has recorded before it triggers another event comes before what that one leads to, and has not been caused by it.
    defer_direct(store);
    let telling = match store.reactions.begin::<E>(number, store.entities.acting()) {
        Ok(telling) => telling,
        Err(NotTold::Busy) => return false,
        Err(NotTold::Unobserved) => return true,
        Err(NotTold::TooDeep(chain)) => {
            report::<E>(store, &alloc::format!("too many events led to it: {chain}"));
            return true;
        }
    };
    let mut told = Told { store: &mut *store, telling: Some(telling) };
    if let Told { store, telling: Some(telling) } = &mut told
        && let Some(observers) = typed::<E>(&mut *telling.observers)
    {
        tell(observers, event, trigger, store);
    }
    told.end();
    apply_reactions(store);
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
