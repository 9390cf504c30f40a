//! The results of tasks, in the order of tasks.
//!
//! Tests: tests/systems/parallel/systems.rs

use alloc::boxed::Box;
use core::cell::UnsafeCell;

/// A slot for the result of each task. The thread that took the task fills the slot.
pub(crate) struct ResultSlots<T>(Box<[UnsafeCell<Option<T>>]>);

// SAFETY: through a shared reference values are only moved in, each to its own slot (see `put`); that sends them, and
// `T: Send`.
unsafe impl<T: Send> Sync for ResultSlots<T> {}

impl<T> ResultSlots<T> {
    /// Returns empty slots for `tasks` tasks.
    pub(crate) fn new(tasks: usize) -> Self {
        Self((0..tasks).map(|_| UnsafeCell::new(None)).collect())
    }

    /// Stores the result of a task.
    ///
    /// # Safety
    ///
    /// - No other call stores a result for the same task.
    pub(crate) unsafe fn put(&self, task: usize, part: T) {
        let place = self.0[task].get();
        // SAFETY: no other code accesses this slot: no other call has the same task (forwarded to the caller), and
        // taking the results out needs `self` by value.
        unsafe { *place = Some(part) }
    }

    /// Returns the stored results, in the order of tasks.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = T> {
        self.0.into_iter().filter_map(UnsafeCell::into_inner)
    }
}
