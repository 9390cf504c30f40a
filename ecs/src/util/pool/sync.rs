//! The synchronization primitives of the gate. A test replaces them by the types of loom, and checks all interleavings.
//!
//! Tests: tests/loom/pool_model.rs

pub(super) use core::sync::atomic::{AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};

/// The number of times that the owner checks whether the helpers have left before it sleeps. The checks take about as long as falling
/// asleep and waking up.
pub(super) const LOOKS: u32 = 200;

/// Pauses between two checks.
#[inline]
pub(super) fn pause() {
    core::hint::spin_loop();
}
