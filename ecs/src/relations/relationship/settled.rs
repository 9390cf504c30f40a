//! A value that is put in order lazily, by the first thread that needs the order.
//!
//! A value is *settled* if it is in order. It is changed through `&mut`, when no reference to it exists. Several threads may read it at the
//! same time. A reader that does not need the order *pins* the value, so that it is not modified until the next change through `&mut`. The
//! first reader that needs the order settles the value in place or, if the value is pinned, makes a settled copy. Other readers wait until
//! it is done. The next change continues with the copy. A test replaces the types of `sync`, and checks all interleavings.
//!
//! Tests: tests/loom/settled_model.rs, tests/relationships/lists.rs

use super::sync::{AtomicU8, Ordering, UnsafeCell, pause};

/// The value is settled.
pub(super) const SETTLED: u8 = 0;
/// The value has changed. It must be settled before it is read in order.
const OPEN: u8 = 1;
/// A thread is settling the value.
const SETTLING: u8 = 2;
/// The value is pinned: it is not settled, and there may be references to it.
const PINNED: u8 = 3;
/// The value is pinned, and a thread is making a settled copy.
const COPYING: u8 = 4;
/// The value is pinned, and there is a settled copy.
const COPIED: u8 = 5;

/// A value that is settled when it is first read in order.
pub(super) struct Settled<T> {
    value: UnsafeCell<T>,
    /// The settled copy, if the state is `COPIED`.
    copy: UnsafeCell<T>,
    state: AtomicU8,
}

// SAFETY: through a shared reference the value is written only by the thread that has changed the state from `OPEN` to `SETTLING`, and the
// copy only by the one that has changed it from `PINNED` to `COPYING`. The value is read only after a state other than `OPEN` and `SETTLING`
// has been observed, and the copy only after `COPIED`. The writing threads store `SETTLED` and `COPIED` when they have finished; without
// `&mut`, the state changes from `OPEN` to `SETTLING` and `SETTLED`, or to `PINNED`, `COPYING` and `COPIED`, and never back. Any thread
// may settle the value (`T: Send`), and any may read it (`T: Sync`).
unsafe impl<T: Send + Sync> Sync for Settled<T> {}

impl<T: Default> Settled<T> {
    /// Creates a value. `state` must be [`SETTLED`]. `copy` may be any value: it is replaced before it is used.
    pub(super) const fn new(value: UnsafeCell<T>, copy: UnsafeCell<T>, state: AtomicU8) -> Self {
        Self { value, copy, state }
    }

    /// Returns the value if it is settled.
    #[inline]
    pub(super) fn get_settled(&self) -> Option<&T> {
        let is_settled = self.state.load(Ordering::Acquire) == SETTLED;
        // SAFETY: the state is `SETTLED`, so no thread writes the value while `self` is borrowed.
        is_settled.then(|| self.value.with(|value| unsafe { &*value }))
    }

    /// Returns the settled value, or a settled copy. If necessary, `settle` settles the value, or `copy` makes a settled copy of it. They
    /// must not panic, because other threads would wait for ever.
    #[inline]
    pub(super) fn get(&self, settle: impl FnOnce(&mut T), copy: impl FnOnce(&T) -> T) -> &T {
        match self.get_settled() {
            Some(value) => value,
            None => self.settle(settle, copy),
        }
    }

    /// Returns the value without settling it, and whether it is settled.
    #[inline]
    pub(super) fn get_as_is(&self) -> (&T, bool) {
        match self.get_settled() {
            Some(value) => (value, true),
            None => self.pin(),
        }
    }

    /// Pins the value, unless it is settled. If another thread is settling it, waits. Returns the value, and whether it is settled.
    #[cold]
    #[inline(never)]
    fn pin(&self) -> (&T, bool) {
        let is_settled = loop {
            match self.state.compare_exchange(OPEN, PINNED, Ordering::Acquire, Ordering::Acquire) {
                Err(SETTLED) => break true,
                Err(SETTLING) => pause(),
                Ok(_) | Err(_) => break false,
            }
        };
        // SAFETY: the state is neither `OPEN` nor `SETTLING`, so no thread writes the value while `self` is borrowed.
        (self.value.with(|value| unsafe { &*value }), is_settled)
    }

    /// Settles the value, or makes a settled copy of a pinned value. If another thread is doing this, waits. Returns the settled value or
    /// copy.
    #[cold]
    #[inline(never)]
    fn settle(&self, settle: impl FnOnce(&mut T), copy: impl FnOnce(&T) -> T) -> &T {
        let exchange = |from, to| self.state.compare_exchange(from, to, Ordering::Acquire, Ordering::Acquire).is_ok();
        let of_copy = loop {
            match self.state.load(Ordering::Acquire) {
                SETTLED => break false,
                COPIED => break true,
                OPEN if exchange(OPEN, SETTLING) => {
                    // SAFETY: this thread has changed the state to `SETTLING`, so no other thread has a reference to the value, or gets one
                    // before the state changes. Earlier references ended when the value was opened through `&mut`.
                    self.value.with_mut(|value| settle(unsafe { &mut *value }));
                    self.state.store(SETTLED, Ordering::Release);
                    break false;
                }
                PINNED if exchange(PINNED, COPYING) => {
                    // SAFETY: the value is pinned, so no thread writes it while `self` is borrowed.
                    let made = self.value.with(|value| copy(unsafe { &*value }));
                    // SAFETY: this thread has changed the state to `COPYING`, so no other thread has a reference to the copy, or gets one
                    // before the state changes.
                    self.copy.with_mut(|copy| unsafe { *copy = made });
                    self.state.store(COPIED, Ordering::Release);
                    break true;
                }
                OPEN | PINNED => {}
                _ => pause(),
            }
        };
        let settled = if of_copy { &self.copy } else { &self.value };
        // SAFETY: the state is `COPIED`, or it is `SETTLED`, so no thread writes this one while `self` is borrowed.
        settled.with(|settled| unsafe { &*settled })
    }

    /// Returns the value. Settles it first if necessary.
    #[inline]
    pub(super) fn settled_mut(&mut self, settle: impl FnOnce(&mut T)) -> &mut T {
        if !self.is_settled() {
            settle(self.get_mut());
            self.state.store(SETTLED, Ordering::Relaxed);
        }
        self.get_mut()
    }

    /// Returns the value, which may be unsettled. The caller must have called [`is_settled`](Self::is_settled) after the last time that
    /// other code could read the value.
    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut T {
        // SAFETY: `self` is borrowed mutably for as long as the reference.
        self.value.with_mut(|value| unsafe { &mut *value })
    }

    /// Marks the value as changed, so that it is settled before it is read in order.
    #[inline]
    pub(super) fn open(&mut self) {
        // Relaxed: sending `self` to another thread synchronises with that thread.
        self.state.store(OPEN, Ordering::Relaxed);
    }

    /// Returns whether the value is settled. If there is a settled copy, it becomes the value first. Ends the pinning.
    #[inline]
    pub(super) fn is_settled(&mut self) -> bool {
        // Relaxed: if another thread has settled it, sending `self` to this thread has synchronised with that thread.
        match self.state.load(Ordering::Relaxed) {
            SETTLED => true,
            OPEN => false,
            _ => self.unpin(),
        }
    }

    #[cold]
    #[inline(never)]
    fn unpin(&mut self) -> bool {
        let is_copied = self.state.load(Ordering::Relaxed) == COPIED;
        if is_copied {
            // SAFETY: `self` is borrowed mutably, so no other reference to the copy exists.
            *self.get_mut() = self.copy.with_mut(|copy| unsafe { core::mem::take(&mut *copy) });
        }
        self.state.store(if is_copied { SETTLED } else { OPEN }, Ordering::Relaxed);
        is_copied
    }
}
