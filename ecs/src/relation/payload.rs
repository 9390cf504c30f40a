//! The values of pairs, which may be borrowed one by one through a shared list.

use core::cell::UnsafeCell;

/// A value that may be borrowed mutably although the list that it is in is only shared: by code that has been given the access.
#[repr(transparent)]
pub(super) struct Payload<R>(UnsafeCell<R>);

// SAFETY: a reference to the value is given out by `get` and `get_mut` only, whose callers promise that the access to it is theirs; so a
// shared `Payload` is used as `&R` by several threads, or as `&mut R` by one.
unsafe impl<R: Send + Sync> Sync for Payload<R> {}

impl<R> Payload<R> {
    pub(super) fn new(value: R) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(super) fn into_inner(self) -> R {
        self.0.into_inner()
    }

    /// The value, borrowed by its owner.
    pub(super) fn of_owner(&mut self) -> &mut R {
        self.0.get_mut()
    }

    /// # Safety
    ///
    /// - No code changes the value as long as the reference is used.
    #[inline]
    pub(super) unsafe fn get(&self) -> &R {
        // SAFETY: the caller's promise; the value lives as long as this.
        unsafe { &*self.0.get() }
    }

    /// # Safety
    ///
    /// - No other code reads or changes the value as long as the reference is used.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the caller promises that nothing else borrows the value")]
    pub(super) unsafe fn get_mut(&self) -> &mut R {
        // SAFETY: the caller's promise; the value lives as long as this.
        unsafe { &mut *self.0.get() }
    }
}
