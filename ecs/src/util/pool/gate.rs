//! The gate of a share. It counts the helpers that are inside, and lets the owner wait until all helpers have left.
//!
//! A helper uses borrowed data of the owner only between [`Gate::enter`] and [`Gate::leave`], that is, while it is *inside*.
//! [`Gate::close`] returns when no helper is inside, and afterwards no helper can enter. All synchronization types of this file come from
//! `super::sync`, so that the test `pool_model` can replace them by the types of loom.
//!
//! Tests: tests/loom/pool_model.rs, ecs/src/util/pool/tests.rs

use alloc::boxed::Box;
use core::any::Any;

use super::sync::{AtomicUsize, Condvar, LOOKS, Mutex, MutexGuard, Ordering, pause};

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send>;

/// The bit of the state that is set when the gate is closed.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// The gate of one share.
pub(crate) struct Gate {
    /// The number of helpers inside, and the bit [`CLOSED`].
    state: AtomicUsize,
    /// The number of helpers that have been called and have not left yet. It does not synchronize memory.
    called: AtomicUsize,
    /// The first panic of a helper. The lock also guards `empty`.
    panic: Mutex<Option<Payload>>,
    /// Signaled when the last helper has left a closed gate.
    empty: Condvar,
}

impl Gate {
    /// Returns an open gate with no helper inside.
    pub(crate) fn new() -> Self {
        Self { state: AtomicUsize::new(0), called: AtomicUsize::new(0), panic: Mutex::new(None), empty: Condvar::new() }
    }

    /// Records that helpers are called, and returns their number. It is at most `wanted`, and is chosen so that at most `most` helpers are
    /// called or inside at the same time.
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

    /// Records that a helper enters, and returns true. If the gate is closed, returns false. A helper that has entered must leave.
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

    /// Records that a helper leaves, perhaps with a panic. When [`close`](Self::close) returns, the owner sees the writes of the helper.
    /// The gate keeps only the first panic; another panic is returned.
    pub(crate) fn leave(&self, panic: Option<Payload>) -> Option<Payload> {
        let other = panic.and_then(|panic| self.keep(panic));
        // Release: the work of the helper happens before the owner's load that observes that it has left. The other
        // updates of `state` are read-modify-writes, so they continue the release sequence.
        if self.state.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            // The owner holds the lock from its last check until it sleeps; so it either sees that all have left, or is
            // already asleep.
            drop(self.lock());
            self.empty.notify_one();
        }
        self.called.fetch_sub(1, Ordering::Relaxed);
        other
    }

    /// Keeps the panic if it is the first one, and returns it otherwise.
    fn keep(&self, panic: Payload) -> Option<Payload> {
        let mut kept = self.lock();
        if kept.is_some() {
            return Some(panic);
        }
        *kept = Some(panic);
        None
    }

    /// Closes the gate and waits until all helpers have left. Returns the first panic of a helper.
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
        // Acquire: the work of the helpers happens before the load that observes that they have left, which is always
        // this one.
        while self.state.load(Ordering::Acquire) != CLOSED {
            panic = self.empty.wait(panic).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        panic.take()
    }

    /// Takes the lock. No code panics while it holds the lock, so a poisoned lock is usable.
    fn lock(&self) -> MutexGuard<'_, Option<Payload>> {
        self.panic.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
