//! The synchronization primitives of the gate. A test replaces these with loom's types and tries all interleavings.
//!
//! Tests: tests/loom/pool_model.rs

pub(super) use core::sync::atomic::{AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};

/// The number of times that the owner checks whether the helpers have left before it sleeps: about the time that it
/// takes to fall asleep and be woken.
pub(super) const LOOKS: u32 = 200;

/// Pauses between two checks.
#[inline]
pub(super) fn pause() {
    core::hint::spin_loop();
}
