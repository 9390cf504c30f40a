//! What the gate synchronises with. A test puts loom's types in the place of these and tries all orders of events.

pub(super) use core::sync::atomic::{AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};

/// How often the owner looks whether the others have left before it sleeps: about as long as it takes to fall asleep
/// and to be woken.
pub(super) const LOOKS: u32 = 200;

/// A moment between two looks.
#[inline]
pub(super) fn pause() {
    core::hint::spin_loop();
}
