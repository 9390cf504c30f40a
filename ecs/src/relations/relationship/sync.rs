//! The synchronisation types of settled values. A test replaces them by the types of loom, and checks all interleavings.
//!
//! Tests: tests/loom/settled_model.rs

pub(super) use core::sync::atomic::{AtomicU8, Ordering};

/// An `UnsafeCell` with the interface of the type of loom: the value is used inside closures.
pub(super) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(super) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    #[inline]
    pub(super) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    #[inline]
    pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// Pauses between two reads in a spin loop.
#[inline]
pub(super) fn pause() {
    core::hint::spin_loop();
}
