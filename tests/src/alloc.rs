//! Allocators for test binaries: one that fails on demand and counts what is held.
//!
//! Everything is kept for each thread, in cells that need no allocation and no destructor, so that the test harness and
//! other tests neither disturb a count nor meet a failure that was not meant for them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static FAIL_AT: Cell<usize> = const { Cell::new(usize::MAX) };
    static FAIL_FOR_EVER: Cell<bool> = const { Cell::new(false) };
    static FAILED: Cell<usize> = const { Cell::new(0) };
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator with a counter and a switch.
pub struct Allocator;

/// Whether the call about to be made is to fail.
fn fails() -> bool {
    if EXEMPT.get() {
        return false;
    }
    let call = CALLS.get();
    CALLS.set(call.wrapping_add(1));
    let at = FAIL_AT.get();
    let fails = call == at || (call > at && FAIL_FOR_EVER.get());
    if fails {
        FAILED.set(FAILED.get() + 1);
    }
    fails
}

fn hold(bytes: usize) {
    HELD.set(HELD.get().wrapping_add_unsigned(bytes));
}

fn release(bytes: usize) {
    HELD.set(HELD.get().wrapping_sub_unsigned(bytes));
}

// SAFETY: every request goes to the system's allocator with the caller's own arguments, or fails with a null pointer as
// the contract allows; the cells touched around it neither allocate nor unwind.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller promises a layout of non-zero size.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            hold(layout.size());
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        release(layout.size());
        // SAFETY: the caller promises that the block came from this allocator, thus from the system's, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fails() {
            return std::ptr::null_mut();
        }
        // SAFETY: as for `dealloc`; the caller promises a legal new size.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        if !moved.is_null() {
            release(layout.size());
            hold(size);
        }
        moved
    }
}

/// The bytes this thread has allocated and not freed.
#[must_use]
pub fn held() -> isize {
    HELD.get()
}

/// Runs `action`, in which the allocation after `calls` successful ones fails, and, if `for_ever`, all later ones.
///
/// Returns what `action` returned and how many allocations failed.
pub fn failing<T>(calls: usize, for_ever: bool, action: impl FnOnce() -> T) -> (T, usize) {
    struct Quiet;
    impl Drop for Quiet {
        fn drop(&mut self) {
            FAIL_AT.set(usize::MAX);
            FAIL_FOR_EVER.set(false);
        }
    }
    let quiet = Quiet;
    FAILED.set(0);
    CALLS.set(0);
    FAIL_FOR_EVER.set(for_ever);
    FAIL_AT.set(calls);
    let value = action();
    drop(quiet);
    (value, FAILED.get())
}

/// Runs `action`, which belongs to the test and not to what it tests: its allocations neither fail nor count.
pub fn exempt<T>(action: impl FnOnce() -> T) -> T {
    let outer = EXEMPT.replace(true);
    let value = action();
    EXEMPT.set(outer);
    value
}

/// Runs `action` and returns its value and how many allocations it asked for.
pub fn counting<T>(action: impl FnOnce() -> T) -> (T, usize) {
    let before = CALLS.get();
    let value = action();
    (value, CALLS.get().wrapping_sub(before))
}
