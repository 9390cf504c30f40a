//! Allocators for test binaries: one that fails on demand and counts what is held.
//!
//! Everything is kept for each thread, in cells that need no allocation and no destructor, so that the test harness and
//! other tests neither disturb a count nor meet a failure that was not meant for them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static FAIL_AT: Cell<usize> = const { Cell::new(usize::MAX) };
    static FAIL_FOR_EVER: Cell<bool> = const { Cell::new(false) };
    static FAILED: Cell<usize> = const { Cell::new(0) };
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator with a counter and a switch. It ends the process if a block is released with another layout than it
/// was allocated with.
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
    REQUESTED.set(REQUESTED.get().wrapping_add(bytes));
    HELD.set(HELD.get().wrapping_add_unsigned(bytes));
}

fn release(bytes: usize) {
    HELD.set(HELD.get().wrapping_sub_unsigned(bytes));
}

/// The layout of a block, noted before its first byte.
struct Note {
    size: usize,
    align: usize,
}

/// How many bytes stand before a block of this alignment: enough for the note, and so many that the block is aligned.
const fn before(align: usize) -> usize {
    if align > size_of::<Note>() { align } else { size_of::<Note>() }
}

/// The layout of a block with its note.
fn with_note(layout: Layout) -> Option<Layout> {
    let align = layout.align().max(align_of::<Note>());
    Layout::from_size_align(layout.size().checked_add(before(layout.align()))?, align).ok()
}

/// Writes the note of a block that begins behind `start`, and returns the block.
///
/// # Safety
///
/// - `start` is null, or a block of the layout that [`with_note`] makes of this one.
unsafe fn note(start: *mut u8, layout: Layout) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    // SAFETY: the block has room for the note before the bytes that were asked for; both are aligned, since the offset is a
    // multiple of both alignments.
    unsafe {
        let block = start.add(before(layout.align()));
        block.cast::<Note>().sub(1).write(Note { size: layout.size(), align: layout.align() });
        block
    }
}

/// Ends the process if a block is released with another layout than it was allocated with. Returns its start.
///
/// # Safety
///
/// - The block came from [`note`].
unsafe fn checked_start(block: *mut u8, layout: Layout) -> *mut u8 {
    // SAFETY: there is a note before the block.
    let Note { size, align } = unsafe { block.cast::<Note>().sub(1).read() };
    if (size, align) != (layout.size(), layout.align()) {
        exempt(|| {
            eprintln!("a block of {size} bytes, aligned to {align}, was released with another layout: {layout:?}");
        });
        std::process::abort();
    }
    // SAFETY: `before(align)` bytes precede the block, so the result is the start of the same allocation.
    unsafe { block.sub(before(align)) }
}

// SAFETY: every request goes to the system's allocator, with room for a note before the block, or fails with a null pointer as
// the contract allows; the cells touched around it neither allocate nor unwind.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(whole) = with_note(layout).filter(|_| !fails()) else { return std::ptr::null_mut() };
        // SAFETY: the layout has the size of a note at least; the block is one of this layout.
        let pointer = unsafe { note(System.alloc(whole), layout) };
        if !pointer.is_null() {
            hold(layout.size());
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        release(layout.size());
        // SAFETY: the caller promises that the block came from this allocator. Its layout is checked, so that it came from the
        // system's with the one that is made of this one again.
        unsafe {
            let start = checked_start(pointer, layout);
            if let Some(whole) = with_note(layout) {
                System.dealloc(start, whole);
            }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the block came from this allocator.
        let start = unsafe { checked_start(pointer, layout) };
        let new = Layout::from_size_align(size, layout.align()).ok();
        let wholes = new.and_then(|new| Some((new, with_note(layout)?, with_note(new)?)));
        let Some((new, old_whole, new_whole)) = wholes.filter(|_| !fails()) else { return std::ptr::null_mut() };
        // SAFETY: `start` was returned by `System` for `old_whole` (checked by `checked_start`), and the new size is the size of the layout
        // `new_whole`; `note` gets a block of that layout.
        let moved = unsafe { note(System.realloc(start, old_whole, new_whole.size()), new) };
        if !moved.is_null() {
            release(layout.size());
            hold(size);
        }
        moved
    }
}

/// Does what the allocator is to notice: releases a block with another layout than it was allocated with.
pub fn release_with_another_layout() {
    let (asked, given) = (Layout::new::<[u64; 4]>(), Layout::new::<[u64; 3]>());
    // SAFETY: the allocator compares the layouts before it does anything, and ends the process, since they differ.
    unsafe {
        let block = Allocator.alloc(asked);
        Allocator.dealloc(block, given);
    }
}

/// The bytes this thread has allocated and not freed.
#[must_use]
pub fn held() -> isize {
    HELD.get()
}

/// Runs `action` and returns its value and how many bytes it asked for, whether it kept them or not.
pub fn requesting<T>(action: impl FnOnce() -> T) -> (T, usize) {
    let before = REQUESTED.get();
    let value = action();
    (value, REQUESTED.get().wrapping_sub(before))
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

/// Lets no further allocation of this thread fail.
pub fn recover() {
    FAIL_AT.set(usize::MAX);
    FAIL_FOR_EVER.set(false);
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
