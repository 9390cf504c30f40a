//! Access to a store whose parts are borrowed separately.
//!
//! A [`StoreCell`] is a shared reference to the store that carries a promise: what its user does with the values behind it
//! (columns, sparse storages, resources) is allowed by an access that was checked before. All values lie behind plain
//! pointers, so handing out `&mut` to one of them beside `&Store` is sound. It also says in which run this is: what is
//! written bears its tick, and what is newer than the last run is new. And it says where new ids come from.

use core::ops::Deref;

use crate::entity::{IdStream, Ids};
use crate::store::Store;
use crate::tick::{RunTicks, Tick};

/// A store, to which the holder has some access.
#[derive(Clone, Copy)]
pub struct StoreCell<'w> {
    store: &'w Store,
    run_ticks: RunTicks,
    /// The stream of ids that its holder has, if any.
    stream: Option<&'w IdStream>,
    /// Whether the visits of columns whose values are changed have been noted before.
    is_again: bool,
}

impl<'w> StoreCell<'w> {
    /// Shared access to everything, outside of a run.
    #[inline]
    pub(crate) fn shared(store: &'w Store) -> Self {
        Self { store, run_ticks: store.run_ticks(), stream: None, is_again: false }
    }

    /// Full access to everything, outside of a run.
    #[inline]
    pub(crate) fn exclusive(store: &'w mut Store) -> Self {
        Self { run_ticks: store.run_ticks(), store, stream: None, is_again: false }
    }

    /// Full access to everything, in a run.
    #[inline]
    pub(crate) fn exclusive_in(store: &'w mut Store, run_ticks: RunTicks) -> Self {
        Self { store, run_ticks, stream: None, is_again: false }
    }

    /// The same access in a run.
    #[inline]
    pub(crate) fn in_run(self, run_ticks: RunTicks) -> Self {
        Self { run_ticks, ..self }
    }

    /// Goes on to the run at a tick.
    #[inline]
    pub(crate) fn set_tick(&mut self, this_run: Tick) {
        self.run_ticks.this_run = this_run;
    }

    /// Goes on to a run after this one, by so many ticks.
    #[inline]
    pub(crate) fn advance(&mut self, ticks: u32) {
        self.set_tick(self.run_ticks.this_run.later(ticks));
    }

    /// The same access in a run after this one, by so many ticks.
    #[inline]
    pub(crate) fn later(mut self, ticks: u32) -> Self {
        self.advance(ticks);
        self
    }

    /// Sets from which of the store's streams ids are reserved from now on, if it is one.
    #[inline]
    pub(crate) fn set_stream(&mut self, stream: Option<u32>) {
        self.stream = match stream {
            Some(stream) => self.store.structure.entities.stream(stream).stream(),
            None => None,
        };
    }

    /// Where the holder reserves ids.
    #[inline]
    pub(crate) fn ids(self) -> Ids<'w> {
        Ids::new(&self.store.structure.entities, self.stream)
    }

    /// The same access for a caller that has visited all columns before.
    #[inline]
    pub(crate) fn again(self) -> Self {
        Self { is_again: true, ..self }
    }

    /// The same access for a caller that visits columns for the first time.
    #[inline]
    pub(crate) fn anew(self) -> Self {
        Self { is_again: false, ..self }
    }

    /// Whether visits have been noted already.
    #[inline]
    pub(crate) fn is_again(self) -> bool {
        self.is_again
    }

    /// The store. Its books may be read freely; its values only as far as the holder's access goes.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.store
    }

    /// Which run this is, and which was the last.
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

/// A store of which all values may be read, and none is changed, for `'w`. In the end it is a borrowed world.
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

    /// The store.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.0
    }

    /// The same access outside of a run.
    #[inline]
    pub(crate) fn cell(self) -> StoreCell<'w> {
        StoreCell::shared(self.0)
    }
}
