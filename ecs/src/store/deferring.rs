//! Deferring the events of several operations, between which any code may run.

use super::Store;
use super::home::Home;

/// A store whose events are deferred while code runs that may put another store in its place.
struct Deferring<'s> {
    store: &'s mut Store,
    home: Home,
    /// Whether the code has not panicked.
    has_ended: bool,
}

impl Drop for Deferring<'_> {
    fn drop(&mut self) {
        if self.home.is(self.store) {
            // Each operation of the scope may have undone what an earlier one has done.
            self.store.listeners.pending.mark_stale();
            self.store.end_whole(self.has_ended);
            return;
        }
        // The store is elsewhere. It delivers its events with its next operation, or when commands are applied to it.
        self.home.end_deferral(self.has_ended);
    }
}

/// As [`Store::as_one`], for operations that may put another store in the place of this one.
pub(crate) fn with_deferred_events<T>(store: &mut Store, operations: impl FnOnce(&mut Store) -> T) -> T {
    store.listeners.held += 1;
    let mut deferring = Deferring { home: Home::new(store), store, has_ended: false };
    let out = operations(deferring.store);
    deferring.has_ended = true;
    drop(deferring);
    store.react();
    out
}
