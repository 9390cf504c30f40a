//! A value that is brought into order by the first thread that reads it.
//!
//! The value is changed through `&mut`, when no reference to it exists. Several threads may read it at the same time: one of them settles
//! the value, and the others wait for that. A test tries all interleavings, with other types in place of those of `sync`.
//!
//! Tests: tests/loom/settled_model.rs

use super::sync::{AtomicU8, Ordering, UnsafeCell, pause};

/// The value may be read.
pub(super) const SETTLED: u8 = 0;
/// The value has changed, and must be settled before it is read.
const OPEN: u8 = 1;
/// A thread is settling the value.
const SETTLING: u8 = 2;

/// A value that is settled when it is read.
pub(super) struct Settled<T> {
    value: UnsafeCell<T>,
    state: AtomicU8,
}

// SAFETY: through a shared reference the value is written only by the thread that has changed the state from `OPEN` to `SETTLING`. It is
// read only after `SETTLED` has been observed, which that thread stores when it has finished, and which only changes through `&mut`. Any
// thread may settle the value (`T: Send`), and any may read it (`T: Sync`).
unsafe impl<T: Send + Sync> Sync for Settled<T> {}

impl<T> Settled<T> {
    /// Creates a value. The state is [`SETTLED`].
    pub(super) const fn new(value: UnsafeCell<T>, state: AtomicU8) -> Self {
        Self { value, state }
    }

    /// The value. `settle` brings it into order if necessary; it must not panic, because other threads would wait for ever.
    #[inline]
    pub(super) fn get(&self, settle: impl FnOnce(&mut T)) -> &T {
        if self.state.load(Ordering::Acquire) != SETTLED {
            self.settle(settle);
        }
        // SAFETY: the state is `SETTLED`, so no thread writes the value while `self` is borrowed.
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
        // SAFETY: this thread has changed the state to `SETTLING`, so no other thread has a reference to the value, or gets one before the
        // state is `SETTLED`. Earlier references ended when the value was opened through `&mut`.
        self.value.with_mut(|value| settle(unsafe { &mut *value }));
        self.state.store(SETTLED, Ordering::Release);
    }

    /// The value, settled if necessary.
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

    /// Marks the value: it must be settled before it is read.
    #[inline]
    pub(super) fn open(&mut self) {
        // Relaxed: sending `self` to another thread synchronises with that thread.
        self.state.store(OPEN, Ordering::Relaxed);
    }

    /// Whether the value is settled.
    #[inline]
    pub(super) fn is_settled(&mut self) -> bool {
        // Relaxed: if another thread has settled it, sending `self` to this thread has synchronised with that thread.
        self.state.load(Ordering::Relaxed) == SETTLED
    }
}
