//! What tasks leave behind, in the order of tasks.

use alloc::boxed::Box;
use core::cell::UnsafeCell;

/// A place for each task, to be filled by the thread that took it.
pub(crate) struct Parts<T>(Box<[UnsafeCell<Option<T>>]>);

// SAFETY: through a shared reference values are only moved in, each to a place of its own (see `put`); that sends them.
unsafe impl<T: Send> Sync for Parts<T> {}

impl<T> Parts<T> {
    /// Empty places for so many tasks.
    pub(crate) fn new(tasks: usize) -> Self {
        Self((0..tasks).map(|_| UnsafeCell::new(None)).collect())
    }

    /// Leaves something for a task.
    ///
    /// # Safety
    ///
    /// - No other call leaves something for the same task.
    pub(crate) unsafe fn put(&self, task: usize, part: T) {
        let place = self.0[task].get();
        // SAFETY: no other code touches this place: other threads have other tasks, and taking everything out needs
        // this value by itself.
        unsafe { *place = Some(part) }
    }

    /// Everything that was left, in the order of tasks.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = T> {
        self.0.into_iter().filter_map(UnsafeCell::into_inner)
    }
}
