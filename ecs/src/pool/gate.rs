//! The gate of a share: which helpers are inside, and how the owner waits until all have left.
//!
//! A helper uses what the owner has lent only between [`Gate::enter`] and [`Gate::leave`]; [`Gate::close`] returns when
//! no helper is in between, and none comes in afterwards. This file uses nothing but `super::sync`, so that the test
//! `pool_model` can try it with loom's types.

use alloc::boxed::Box;
use core::any::Any;

use super::sync::{AtomicUsize, Condvar, LOOKS, Mutex, MutexGuard, Ordering, pause};

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// No helper may enter any more.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// The gate of one share.
pub(crate) struct Gate {
    /// How many helpers are inside, and [`CLOSED`].
    state: AtomicUsize,
    /// How many helpers have been called and have not left. No memory is handed over with it.
    called: AtomicUsize,
    /// The first panic of a helper. Its lock is also that of `empty`.
    panic: Mutex<Option<Payload>>,
    /// The last helper has left a closed gate.
    empty: Condvar,
}

impl Gate {
    /// An open gate with no helper inside.
    pub(crate) fn new() -> Self {
        Self { state: AtomicUsize::new(0), called: AtomicUsize::new(0), panic: Mutex::new(None), empty: Condvar::new() }
    }

    /// Notes that up to `wanted` helpers are called, so that no more than `most` are on their way or inside. Returns how
    /// many may be called.
    pub(crate) fn call(&self, wanted: usize, most: usize) -> usize {
        let mut called = self.called.load(Ordering::Relaxed);
        loop {
            let more = wanted.min(most.saturating_sub(called));
            if more == 0 {
                return 0;
            }
            match self.called.compare_exchange_weak(called, called + more, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return more,
                Err(now) => called = now,
            }
        }
    }

    /// Lets a helper in, unless the gate is closed. A helper that is inside has to leave.
    pub(crate) fn enter(&self) -> bool {
        let mut state = self.state.load(Ordering::Relaxed);
        while state & CLOSED == 0 {
            match self.state.compare_exchange_weak(state, state + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// A helper leaves, perhaps with a panic. What it has written the owner sees when [`close`](Self::close) returns. Only the
    /// first panic is kept; any other one comes back.
    pub(crate) fn leave(&self, panic: Option<Payload>) -> Option<Payload> {
        let other = panic.and_then(|panic| self.keep(panic));
        // Release: what the helper did comes before the owner's look that finds it gone. The other updates of `state`
        // are read-modify-writes as well, so they do not come between.
        if self.state.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            // The owner holds the lock from its last look until it sleeps; so it either sees that all have left, or
            // sleeps already.
            drop(self.lock());
            self.empty.notify_one();
        }
        self.called.fetch_sub(1, Ordering::Relaxed);
        other
    }

    /// Keeps the first panic, and returns another one.
    fn keep(&self, panic: Payload) -> Option<Payload> {
        let mut kept = self.lock();
        if kept.is_some() {
            return Some(panic);
        }
        *kept = Some(panic);
        None
    }

    /// Lets no helper in any more and waits until all helpers have left. Returns the first panic of one.
    pub(crate) fn close(&self) -> Option<Payload> {
        let mut state = self.state.fetch_or(CLOSED, Ordering::Relaxed) | CLOSED;
        for _ in 0..LOOKS {
            if state == CLOSED {
                break;
            }
            pause();
            state = self.state.load(Ordering::Relaxed);
        }
        let mut panic = self.lock();
        // Acquire: what the helpers did comes before the look that finds them gone, which is always this one.
        while self.state.load(Ordering::Acquire) != CLOSED {
            panic = self.empty.wait(panic).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        panic.take()
    }

    /// Nothing panics while it is locked.
    fn lock(&self) -> MutexGuard<'_, Option<Payload>> {
        self.panic.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
