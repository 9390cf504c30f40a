//! What settled values synchronise with. A test puts loom's types in the place of these and tries all orders of events.

pub(super) use core::sync::atomic::{AtomicU8, Ordering};

/// As loom's: the value is used inside of closures.
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

/// A moment between two looks.
#[inline]
pub(super) fn pause() {
    core::hint::spin_loop();
}
