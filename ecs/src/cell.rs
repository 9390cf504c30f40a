//! Access to a store whose parts are borrowed separately.
//!
//! A [`Cell`] is a shared reference to the store that carries a promise: what its user does with the values behind it
//! (columns, sparse storages, resources) is allowed by an access that was checked before. All values lie behind plain
//! pointers, so handing out `&mut` to one of them beside `&Store` is sound.

use core::ops::Deref;

use crate::store::Store;

/// A store, to which the holder has some access.
#[derive(Clone, Copy)]
pub struct Cell<'w> {
    store: &'w Store,
}

impl<'w> Cell<'w> {
    /// Shared access to everything.
    #[inline]
    pub(crate) fn shared(store: &'w Store) -> Self {
        Self { store }
    }

    /// Full access to everything.
    #[inline]
    pub(crate) fn exclusive(store: &'w mut Store) -> Self {
        Self { store }
    }

    /// The store. Its books may be read freely; its values only as far as the holder's access goes.
    #[inline]
    pub(crate) fn store(self) -> &'w Store {
        self.store
    }
}

impl Deref for Cell<'_> {
    type Target = Store;

    #[inline]
    fn deref(&self) -> &Store {
        self.store
    }
}
