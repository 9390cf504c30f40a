//! The values of pairs. Each value can be borrowed separately through a shared reference to the list of values.
//!
//! Tests: tests/relationships/pairs/operations.rs

use core::cell::UnsafeCell;

/// A value of a pair. Code that has access to the pair can borrow it mutably through a shared reference.
#[repr(transparent)]
pub(super) struct Payload<R>(UnsafeCell<R>);

// SAFETY: only `get` and `get_mut` give out references to the value through a shared `Payload`. Their callers ensure that no code writes
// while it is read, and that `&mut R` is exclusive; so several threads use it as `&R` (`R: Sync`), or one uses it as `&mut R` (`R: Send`).
unsafe impl<R: Send + Sync> Sync for Payload<R> {}

impl<R> Payload<R> {
    pub(super) fn new(value: R) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(super) fn into_inner(self) -> R {
        self.0.into_inner()
    }

    /// Borrows the value mutably, through exclusive access.
    pub(super) fn of_owner(&mut self) -> &mut R {
        self.0.get_mut()
    }

    /// # Safety
    ///
    /// - No code changes the value while the reference is used.
    #[inline]
    pub(super) unsafe fn get(&self) -> &R {
        // SAFETY: forwarded: no code changes the value while the reference is used. The value lives as long as `self`.
        unsafe { &*self.0.get() }
    }

    /// # Safety
    ///
    /// - No other code reads or changes the value while the reference is used.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the caller promises that nothing else borrows the value")]
    pub(super) unsafe fn get_mut(&self) -> &mut R {
        // SAFETY: forwarded: no other code reads or changes the value while the reference is used. The value lives as long as `self`.
        unsafe { &mut *self.0.get() }
    }
}
