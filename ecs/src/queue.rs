//! A list of operations to run later, in one stretch of memory.
//!
//! Each entry is a header and the captured values of a closure, packed without padding. Pushing one costs a copy of its
//! values and, amortised, no allocation.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, size_of};
use core::ptr::{self, NonNull};

/// What comes before the values of an operation.
#[derive(Clone, Copy)]
struct Header<C> {
    /// Moves the values out of the memory and runs the operation, or drops them if there is nothing to run it on.
    consume: unsafe fn(NonNull<u8>, Option<&mut C>),
    size: usize,
}

/// Operations on a `C`, in the order in which they were pushed.
pub(crate) struct Queue<C> {
    bytes: Vec<MaybeUninit<u8>>,
    marker: PhantomData<fn(&mut C)>,
}

impl<C> Default for Queue<C> {
    fn default() -> Self {
        Self { bytes: Vec::new(), marker: PhantomData }
    }
}

/// # Safety
///
/// - The pointer is to a value of `F`, not necessarily aligned, that nobody uses afterwards.
unsafe fn consume<C, F: FnOnce(&mut C)>(values: NonNull<u8>, context: Option<&mut C>) {
    // SAFETY: the caller's promise. Each of the two has the values on its stack, and only one of them runs.
    unsafe {
        match context {
            Some(context) => run_one::<C, F>(values, context),
            None => drop_one::<F>(values),
        }
    }
}

/// # Safety
///
/// - As for [`consume`].
#[inline]
unsafe fn run_one<C, F: FnOnce(&mut C)>(values: NonNull<u8>, context: &mut C) {
    // SAFETY: the caller's promise.
    unsafe { ptr::read_unaligned(values.as_ptr().cast::<F>())(context) }
}

/// # Safety
///
/// - As for [`consume`].
unsafe fn drop_one<F>(values: NonNull<u8>) {
    // SAFETY: the caller's promise.
    drop(unsafe { ptr::read_unaligned(values.as_ptr().cast::<F>()) });
}

impl<C> Queue<C> {
    /// Whether there are no operations.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds an operation behind all others.
    #[inline]
    pub(crate) fn push<F: FnOnce(&mut C) + Send + 'static>(&mut self, operation: F) {
        let header = Header { consume: consume::<C, F>, size: size_of::<F>() };
        let size = size_of::<Header<C>>() + size_of::<F>();
        self.bytes.reserve(size);
        let old = self.bytes.len();
        // SAFETY: `size` more bytes have just been reserved. They hold the header and then the operation, whose
        // ownership goes to the queue.
        unsafe {
            let entry = self.bytes.as_mut_ptr().add(old);
            entry.cast::<Header<C>>().write_unaligned(header);
            entry.add(size_of::<Header<C>>()).cast::<F>().write_unaligned(operation);
            self.bytes.set_len(old + size);
        }
    }

    /// Adds the operations of another queue, which is empty afterwards.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.bytes.append(&mut other.bytes);
    }

    /// Runs all operations. If one panics, the rest are dropped.
    pub(crate) fn run(&mut self, context: &mut C) {
        let mut running = Running { bytes: core::mem::take(&mut self.bytes), at: 0, marker: PhantomData::<fn(&mut C)> };
        while running.next(Some(context)) {}
        // Keeps the memory for the next time.
        let mut bytes = core::mem::take(&mut running.bytes);
        bytes.clear();
        if self.bytes.is_empty() {
            self.bytes = bytes;
        }
    }
}

impl<C> Drop for Queue<C> {
    /// Drops all operations without running them.
    fn drop(&mut self) {
        drop(Running { bytes: core::mem::take(&mut self.bytes), at: 0, marker: PhantomData::<fn(&mut C)> });
    }
}

/// Operations that are being run: those from `at` on are still there.
struct Running<C> {
    bytes: Vec<MaybeUninit<u8>>,
    at: usize,
    marker: PhantomData<fn(&mut C)>,
}

impl<C> Running<C> {
    /// Consumes the next operation; false if there is none.
    #[inline]
    fn next(&mut self, context: Option<&mut C>) -> bool {
        if self.at >= self.bytes.len() {
            return false;
        }
        // SAFETY: entries lie one behind the other, each a header and as many bytes as it says; `at` is the start of one.
        // It moves on before the operation runs, so that the operation is consumed once even if it panics.
        unsafe {
            let entry = self.bytes.as_mut_ptr().add(self.at);
            let header = ptr::read_unaligned(entry.cast::<Header<C>>());
            self.at += size_of::<Header<C>>() + header.size;
            let values = NonNull::new_unchecked(entry.cast::<u8>().add(size_of::<Header<C>>()));
            (header.consume)(values, context);
        }
        true
    }
}

impl<C> Drop for Running<C> {
    fn drop(&mut self) {
        crate::guard::for_each_despite_panics(core::iter::repeat_n((), self.bytes.len()), |()| {
            self.next(None);
        });
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Queue;
    use alloc::{boxed::Box, rc::Rc, string::String, sync::Arc, vec::Vec};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn operations_run_in_order_and_own_their_values() {
        let mut queue = Queue::<Vec<String>>::default();
        for number in 0..100u8 {
            let text = alloc::format!("{number}");
            queue.push(move |seen: &mut Vec<String>| seen.push(text));
            queue.push(move |seen: &mut Vec<String>| assert_eq!(seen.len(), number as usize + 1));
        }
        let mut seen = Vec::new();
        queue.run(&mut seen);
        assert_eq!((seen.len(), queue.is_empty()), (100, true));
    }

    #[test]
    fn what_is_not_run_is_dropped_once() {
        let value = Arc::new(());
        let mut queue = Queue::<Rc<()>>::default();
        for number in 0..4 {
            let value = value.clone();
            queue.push(move |_: &mut Rc<()>| assert!(number != 1, "{value:?}"));
        }
        let run = catch_unwind(AssertUnwindSafe(|| queue.run(&mut Rc::new(()))));
        assert!(run.is_err());
        assert_eq!(Arc::strong_count(&value), 1);
        let boxed = (value.clone(), Box::new(7));
        queue.push(move |_: &mut Rc<()>| drop(boxed));
        drop(queue);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
