//! Copies and moves of single values, as bytes.

use core::ptr::{self, NonNull};

/// Values up to this size are copied without a call.
pub(crate) const SMALL: usize = 64;

/// Copies `size` bytes: what `memmove` does, without the call for the sizes that components usually have.
///
/// # Safety
///
/// - `from` is readable and `to` writable for `size` bytes, and they are equal or do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy_item(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { if size <= SMALL { copy_small(from, to, size) } else { ptr::copy(from, to, size) } }
}

/// Copies up to `SMALL` bytes.
///
/// # Safety
///
/// - As for `copy_item`; `size` is at most `SMALL`.
#[inline(always)]
unsafe fn copy_small(from: *const u8, to: *mut u8, size: usize) {
    // By ranges, the usual sizes first: what the compiler makes of a `match` on single sizes takes longer. SAFETY: the caller's promise,
    // with the size checked.
    unsafe {
        if size >= 8 {
            if size <= 16 {
                copy_ends::<8>(from, to, size);
            } else if size <= 32 {
                copy_ends::<16>(from, to, size);
            } else {
                copy_ends::<32>(from, to, size);
            }
        } else if size >= 4 {
            copy_ends::<4>(from, to, size);
        } else if size >= 2 {
            copy_ends::<2>(from, to, size);
        } else if size == 1 {
            ptr::copy(from, to, 1);
        }
    }
}

/// Copies an item from a row of one column to a row of another one, or of the same.
///
/// # Safety
///
/// - The rows are within the memory of the columns, and are the same or do not overlap. `size` is the size of their items, and at most
///   `SMALL`.
#[inline(always)]
pub(crate) unsafe fn copy_row(from: NonNull<u8>, row: usize, (to, target): (NonNull<u8>, usize), size: usize) {
    // SAFETY: the caller's promise, with the size checked; bytes need no alignment. What most components have is asked for first, in two
    // comparisons.
    unsafe {
        if size == 4 {
            ptr::copy(from.cast::<[u8; 4]>().add(row).as_ptr(), to.cast().add(target).as_ptr(), 1);
            return;
        }
        let (from, to) = (from.add(row * size).as_ptr(), to.add(target * size).as_ptr());
        if size.wrapping_sub(8) <= 8 {
            copy_ends::<8>(from, to, size);
        } else {
            copy_small(from, to, size);
        }
    }
}

/// Moves an item out of its row to a row of another column, and the item of the last row into its place, unless
/// it is the item itself.
///
/// # Safety
///
/// - The columns do not overlap. `row` and `last` hold items in the first one, and the row of the other one is within its memory.
///   `size` is the size of their items, and at most `SMALL`.
#[inline(always)]
pub(crate) unsafe fn move_row(
    from: NonNull<u8>,
    [row, last]: [usize; 2],
    (to, target): (NonNull<u8>, usize),
    size: usize,
) {
    /// # Safety
    ///
    /// - As above, for items of `N` bytes.
    #[inline(always)]
    unsafe fn of<const N: usize>(from: NonNull<u8>, [row, last]: [usize; 2], (to, target): (NonNull<u8>, usize)) {
        let (from, to) = (from.cast::<[u8; N]>(), to.cast::<[u8; N]>());
        // SAFETY: the caller's promise; bytes need no alignment.
        unsafe {
            ptr::copy(from.add(row).as_ptr(), to.add(target).as_ptr(), 1);
            ptr::copy(from.add(last).as_ptr(), from.add(row).as_ptr(), 1);
        }
    }
    // SAFETY: the caller's promise, with the size checked. Where the size is known, the places are found without a multiplication.
    unsafe {
        match size {
            4 => of::<4>(from, [row, last], (to, target)),
            8 => of::<8>(from, [row, last], (to, target)),
            _ => {
                let (place, last) = (from.add(row * size).as_ptr(), from.add(last * size).as_ptr());
                move_item(place, to.add(target * size).as_ptr(), last, size);
            }
        }
    }
}

/// Moves an item out of its place to a new one, and the last item into the place, unless it is the
/// item itself.
///
/// # Safety
///
/// - All three are readable and writable for `size` bytes; `place` and `last` are equal or do not overlap, and `new`
///   overlaps neither. `size` is at most `SMALL`.
#[inline(always)]
unsafe fn move_item(place: *mut u8, new: *mut u8, last: *const u8, size: usize) {
    /// # Safety
    ///
    /// - As above, with `N <= size <= 2 * N`.
    #[inline(always)]
    unsafe fn both<const N: usize>(place: *mut u8, new: *mut u8, last: *const u8, size: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            copy_ends::<N>(place, new, size);
            copy_ends::<N>(last, place, size);
        }
    }
    // SAFETY: the caller's promise, with the size checked. By ranges, as above.
    unsafe {
        if size >= 8 {
            if size <= 16 {
                both::<8>(place, new, last, size);
            } else if size <= 32 {
                both::<16>(place, new, last, size);
            } else {
                both::<32>(place, new, last, size);
            }
        } else if size >= 4 {
            both::<4>(place, new, last, size);
        } else if size >= 2 {
            both::<2>(place, new, last, size);
        } else if size == 1 {
            ptr::copy(place, new, 1);
            ptr::copy(last, place, 1);
        }
    }
}

/// Copies `size` bytes as two blocks of `N`, which overlap in the middle unless they just meet. Onto itself it changes
/// nothing, since each block is written where it was read.
///
/// # Safety
///
/// - `from` is readable and `to` writable for `size` bytes, they are equal or do not overlap, and `N <= size <= 2 * N`.
#[inline(always)]
unsafe fn copy_ends<const N: usize>(from: *const u8, to: *mut u8, size: usize) {
    let last = size - N;
    // SAFETY: both blocks lie within `size` bytes.
    unsafe {
        ptr::copy(from, to, N);
        ptr::copy(from.add(last), to.add(last), N);
    }
}
