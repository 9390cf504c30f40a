//! A value that the first thread brings into order which reads it.
//!
//! It is changed by way of `&mut`, so that no reference to it exists then. Several threads may read at once: one of them settles the
//! value, and the others wait for it. A test tries all orders in which they can do that, with other types in the place of `sync`.

use super::sync::{AtomicU8, Ordering, UnsafeCell, pause};

/// The value may be read.
pub(super) const SETTLED: u8 = 0;
/// The value has changed, and is to be settled before it is read.
const OPEN: u8 = 1;
/// A thread settles the value.
const SETTLING: u8 = 2;

/// A value that is settled when it is read.
pub(super) struct Settled<T> {
    value: UnsafeCell<T>,
    state: AtomicU8,
}

// SAFETY: through a shared reference the value is changed only by the thread that has brought the state from `OPEN` to `SETTLING`, and it
// is read only behind `SETTLED`, which that thread stores when it has ended, and which nothing changes but by way of `&mut`. Any thread
// may be the one that settles it, and any may read it.
unsafe impl<T: Send + Sync> Sync for Settled<T> {}

impl<T> Settled<T> {
    /// A value. The state is [`SETTLED`].
    pub(super) const fn new(value: UnsafeCell<T>, state: AtomicU8) -> Self {
        Self { value, state }
    }

    /// The value, which `settle` brings into order if that has to be done. It does not panic: other threads would wait for ever.
    #[inline]
    pub(super) fn get(&self, settle: impl FnOnce(&mut T)) -> &T {
        if self.state.load(Ordering::Acquire) != SETTLED {
            self.settle(settle);
        }
        // SAFETY: the state is `SETTLED`, so no thread changes the value as long as this is borrowed.
        self.value.with(|value| unsafe { &*value })
    }

    /// Waits until the value is settled.
    #[cold]
    #[inline(never)]
    fn settle(&self, settle: impl FnOnce(&mut T)) {
        loop {
            match self.state.compare_exchange(OPEN, SETTLING, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => break,
                Err(SETTLED) => return,
                Err(_) => pause(),
            }
        }
        // SAFETY: this thread has brought the state to `SETTLING`, so no other one has a reference to the value, or gets one before it is
        // `SETTLED`. References that were given out before have ended when the value was opened by way of `&mut`.
        self.value.with_mut(|value| settle(unsafe { &mut *value }));
        self.state.store(SETTLED, Ordering::Release);
    }

    /// The value, settled.
    #[inline]
    pub(super) fn settled_mut(&mut self, settle: impl FnOnce(&mut T)) -> &mut T {
        if !self.is_settled() {
            self.settle(settle);
        }
        self.get_mut()
    }

    /// The value, settled or not.
    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut T {
        // SAFETY: `self` is borrowed mutably for as long as the reference.
        self.value.with_mut(|value| unsafe { &mut *value })
    }

    /// The value is to be settled before it is read.
    #[inline]
    pub(super) fn open(&mut self) {
        // Whatever gives `self` to another thread synchronises with it.
        self.state.store(OPEN, Ordering::Relaxed);
    }

    /// Whether nothing has to be settled.
    #[inline]
    pub(super) fn is_settled(&mut self) -> bool {
        // It was another thread that settled it, perhaps; whatever has given `self` to this one has synchronised with that.
        self.state.load(Ordering::Relaxed) == SETTLED
    }
}
