//! An event while it is told.

use alloc::boxed::Box;

use super::observers::Observers;
use crate::command::defer_direct;
use crate::event::Event;
use crate::origin::Origin;
use crate::store::Store;

/// Tells an event, whose type has this number: calls a function with its observers, and with the store without them. None if that is not
/// possible; [`Reactions::not_told`](crate::store::Reactions::not_told) says why.
#[inline(always)]
pub(super) fn with_observers<E: Event>(
    store: &mut Store,
    number: u32,
    caller: Origin,
    tell: impl FnOnce(&mut Observers<E>, &mut Store),
) -> Option<()> {
    let observers = store.reactions.begin::<E, Observers<E>>(number, caller)?;
    let mut told = Told { store, observers: Some(observers), number };
    if let Some(observers) = &mut told.observers {
        tell(observers, told.store);
    }
    if let Some(observers) = told.observers.take() {
        told.store.reactions.end(number, observers);
    }
    core::mem::forget(told);
    Some(())
}

/// An event that is being told. If an observer panics, the observers are in the store again all the same.
struct Told<'s, E: Event> {
    store: &'s mut Store,
    observers: Option<Box<Observers<E>>>,
    number: u32,
}

impl<E: Event> Drop for Told<'_, E> {
    // Inlined, so that what is told need not be in memory for it.
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(observers) = self.observers.take() {
            broken_off(self.store, self.number, observers);
        }
    }
}

/// An observer has panicked. What it has recorded beside its parameters waits with what those before it have.
#[cold]
#[inline(never)]
fn broken_off<E: Event>(store: &mut Store, number: u32, observers: Box<Observers<E>>) {
    defer_direct(store);
    store.reactions.end(number, observers);
}
