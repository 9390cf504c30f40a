//! Access to a store whose parts are borrowed separately.
//!
//! A [`StoreCell`] is a shared reference to the store with a promise: everything that its user does with the values in it
//! (columns, sparse storages, resources) is allowed by an access that was checked before. All values are accessed through raw
//! pointers, so returning `&mut` to one of them while `&Store` exists is sound. The cell also contains the ticks of the
//! run: changes get the tick of this run, and changes after the last run count as new. And it determines the source of new
//! entity ids.
//!
//! Tests: tests/changes/change_detection/shared.rs, tests/miri/queries.rs

use core::ops::Deref;

use crate::entity::{IdSource, IdStream};
use crate::storage::tick::{RunTicks, Tick};
use crate::structure::store::Store;

/// A shared reference to a store. The holder may access the values that its access allows.
#[derive(Clone, Copy)]
pub struct StoreCell<'w> {
    store: &'w Store,
    run_ticks: RunTicks,
    /// The stream from which the holder reserves ids, if it has one.
    stream: Option<&'w IdStream>,
    /// Whether visits of columns whose values are changed have been recorded already.
    is_again: bool,
}

impl<'w> StoreCell<'w> {
    /// Returns a cell with shared access to everything, outside of a system run.
    #[inline]
    pub(crate) fn shared(store: &'w Store) -> Self {
        Self { store, run_ticks: store.run_ticks(), stream: None, is_again: false }
    }

    /// Returns a cell with exclusive access to everything, outside of a system run.
    #[inline]
    pub(crate) fn exclusive(store: &'w mut Store) -> Self {
        Self { run_ticks: store.run_ticks(), store, stream: None, is_again: false }
    }

    /// Returns a cell with exclusive access to everything, in a system run.
    #[inline]
    pub(crate) fn exclusive_in(store: &'w mut Store, run_ticks: RunTicks) -> Self {
        Self { store, run_ticks, stream: None, is_again: false }
    }

    /// Returns this cell with the ticks of another run.
    #[inline]
    pub(crate) fn in_run(self, run_ticks: RunTicks) -> Self {
        Self { run_ticks, ..self }
    }

    /// Sets the tick of the run.
    #[inline]
    pub(crate) fn set_tick(&mut self, this_run: Tick) {
        self.run_ticks.this_run = this_run;
    }

    /// Advances the tick of the run.
    #[inline]
    pub(crate) fn advance(&mut self, ticks: u32) {
        self.set_tick(self.run_ticks.this_run.later(ticks));
    }

    /// Returns this cell with the tick of the run advanced.
    #[inline]
    pub(crate) fn later(mut self, ticks: u32) -> Self {
        self.advance(ticks);
        self
    }

    /// Sets the stream of the store from which ids are reserved from now on. With `None`, ids are reserved from no stream.
    #[inline]
    pub(crate) fn set_stream(&mut self, stream: Option<u32>) {
        self.stream = match stream {
            Some(stream) => self.store.structure.entities.stream(stream).stream(),
            None => None,
        };
    }

    /// Returns the source of new ids for the holder.
    #[inline]
    pub(crate) fn ids(self) -> IdSource<'w> {
        IdSource::new(&self.store.structure.entities, self.stream)
    }

    /// Returns this cell for a caller that has visited all columns before, so that visits are not recorded again.
    #[inline]
    pub(crate) fn again(self) -> Self {
        Self { is_again: true, ..self }
    }

    /// Returns this cell for a caller that visits columns for the first time.
    #[inline]
    pub(crate) fn anew(self) -> Self {
        Self { is_again: false, ..self }
    }

    /// Returns whether visits have been recorded already.
    #[inline]
    pub(crate) fn is_again(self) -> bool {
        self.is_again
    }

    /// Returns the store. Its metadata may be read freely, but its values only within the access of the holder.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.store
    }

    /// Returns the ticks of this run and of the last run.
    #[inline]
    pub(crate) fn run_ticks(self) -> RunTicks {
        self.run_ticks
    }
}

impl Deref for StoreCell<'_> {
    type Target = Store;

    #[inline]
    fn deref(&self) -> &Store {
        self.store
    }
}

/// A store whose values may all be read and are not changed for `'w`, such as a borrowed world.
#[derive(Clone, Copy)]
pub struct ReadCell<'w>(&'w Store);

impl<'w> ReadCell<'w> {
    /// # Safety
    ///
    /// - No code changes values of the store for `'w`.
    #[inline]
    pub(crate) unsafe fn new(store: &'w Store) -> Self {
        Self(store)
    }

    /// Returns the store.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.0
    }

    /// Returns a cell with access to all values, outside of a system run.
    #[inline]
    pub(crate) fn cell(self) -> StoreCell<'w> {
        StoreCell::shared(self.0)
    }
}
