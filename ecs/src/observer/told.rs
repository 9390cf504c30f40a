//! An event while it is told.

use super::observers::Observers;
use crate::command::defer_direct;
use crate::event::Event;
use crate::origin::Origin;
use crate::store::{Store, TakenObservers};

/// An event that is being told. It ends also if an observer panics.
pub(super) struct Told<'s> {
    pub(super) store: &'s mut Store,
}

impl<'s> Told<'s> {
    /// Begins to tell an event, whose type has this number: its observers, which are to be told with the store. None if that is not
    /// possible; [`Reactions::not_told`](crate::store::Reactions::not_told) says why.
    #[inline(always)]
    pub(super) fn begin<E: Event>(
        store: &'s mut Store,
        number: u32,
        caller: Origin,
    ) -> Option<(TakenObservers<Observers<E>>, Self)> {
        let observers = store.reactions.begin::<E, Observers<E>>(number, caller)?;
        Some((observers, Self { store }))
    }

    /// The same while nothing else goes on, and nothing waits.
    #[inline(always)]
    pub(super) fn begin_idle<E: Event>(
        store: &'s mut Store,
        number: u32,
        caller: Origin,
    ) -> Option<(TakenObservers<Observers<E>>, Self)> {
        let observers = store.reactions.begin_idle::<E, Observers<E>>(number, caller)?;
        Some((observers, Self { store }))
    }

    /// It has been told, and was [begun](Self::begin_idle) while nothing else went on. Whether that is so again: nothing waits.
    #[inline(always)]
    pub(super) fn end_idle(self) -> bool {
        let is_idle = self.store.reactions.end_idle();
        core::mem::forget(self);
        is_idle
    }

    /// It has been told.
    #[inline(always)]
    pub(super) fn end(self) {
        self.store.reactions.end();
        core::mem::forget(self);
    }
}

impl Drop for Told<'_> {
    /// An observer has panicked. What it has recorded beside its parameters waits with what those before it have. The function is called
    /// with the store, and not with the guard, which is in registers therefore.
    #[inline(always)]
    fn drop(&mut self) {
        broken_off(self.store);
    }
}

#[cold]
#[inline(never)]
fn broken_off(store: &mut Store) {
    defer_direct(store);
    store.reactions.end();
}
