//! Access to a store whose parts are borrowed separately.
//!
//! A [`Cell`] is a shared reference to the store that carries a promise: what its user does with the values behind it
//! (columns, sparse storages, resources) is allowed by an access that was checked before. All values lie behind plain
//! pointers, so handing out `&mut` to one of them beside `&Store` is sound. It also says in which run this is: what is
//! written bears its tick, and what is newer than the last run is new. And it says where new ids come from.

use core::ops::Deref;

use crate::entity::{Ids, Lane};
use crate::store::Store;
use crate::tick::Span;

/// A store, to which the holder has some access.
#[derive(Clone, Copy)]
pub struct Cell<'w> {
    store: &'w Store,
    span: Span,
    /// The stream of ids that its holder has, if any.
    lane: Option<&'w Lane>,
}

impl<'w> Cell<'w> {
    /// Shared access to everything, by nobody that runs.
    #[inline]
    pub(crate) fn shared(store: &'w Store) -> Self {
        Self { store, span: store.span(), lane: None }
    }

    /// Full access to everything, by nobody that runs.
    #[inline]
    pub(crate) fn exclusive(store: &'w mut Store) -> Self {
        Self { span: store.span(), store, lane: None }
    }

    /// The same access in a run.
    #[inline]
    pub(crate) fn in_run(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// The same access, for somebody who reserves ids from these of the store.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever runs systems at the same time"))]
    #[inline]
    pub(crate) fn reserving(self, ids: Ids<'w>) -> Self {
        Self { lane: ids.lane(), ..self }
    }

    /// Where the holder reserves ids.
    #[inline]
    pub(crate) fn ids(self) -> Ids<'w> {
        Ids::new(&self.store.entities, self.lane)
    }

    /// The store. Its books may be read freely; its values only as far as the holder's access goes.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.store
    }

    /// Which run this is, and which was the last.
    #[inline]
    pub(crate) fn span(self) -> Span {
        self.span
    }
}

impl Deref for Cell<'_> {
    type Target = Store;

    #[inline]
    fn deref(&self) -> &Store {
        self.store
    }
}
