//! An event while it is told.

use crate::command::defer_direct;
use crate::store::{Store, Telling};

/// An event that is being told. However that ends, its observers are in the store again.
pub(super) struct Told<'s> {
    pub(super) store: &'s mut Store,
    pub(super) telling: Option<Telling>,
}

impl Told<'_> {
    /// The event has been told: as dropping it, but for what an observer that panics has recorded.
    #[inline(always)]
    pub(super) fn end(mut self) {
        if let Some(telling) = self.telling.take() {
            self.store.reactions.end(telling);
        }
        core::mem::forget(self);
    }
}

impl Drop for Told<'_> {
    #[inline]
    fn drop(&mut self) {
        // What an observer that panics has recorded beside its parameters waits with what those before it have.
        if let Some(telling) = self.telling.take() {
            defer_direct(self.store);
            self.store.reactions.end(telling);
        }
    }
}
