//! Memory of columns: aligned to whole cache lines, and grown in place where the allocator can do that. And copies of single values.
//!
//! An allocator moves memory that is aligned to more than its own alignment whenever that grows, since its `realloc` knows nothing of
//! alignments; for large memory, whose pages it would only have mapped elsewhere, that means to copy, and to be given all pages anew. So a
//! block is asked for with the alignment that every allocator has, and a few bytes more, and the values begin at the first whole line in
//! it. Only types that are aligned to more than a line pay for the move.

use alloc::alloc::{alloc, dealloc, realloc};
use core::alloc::Layout;
use core::ptr::{self, NonNull};

use crate::alloc_error::AllocError;

/// The least alignment of a column's values: a line of the cache.
const ALIGN: usize = 64;

/// What allocators align to anyway.
const OF_ALLOCATOR: usize = 2 * size_of::<usize>();

/// Memory for values of one layout. It owns the memory, and no values.
#[repr(C)]
pub(crate) struct Memory {
    /// Where the values begin: aligned, also if there is no memory.
    data: NonNull<u8>,
    /// How many values there is memory for. Values without a size need none: then it never changes.
    capacity: usize,
    /// The size of a value.
    size: usize,
    /// The alignment of a value, in four bytes: with `before` it takes one word.
    align: u32,
    /// How many bytes after the start of the block the values begin.
    before: u8,
}

impl Memory {
    /// No memory for values without a size, and none for others.
    pub(crate) const NONE: Self = Self { data: NonNull::dangling(), capacity: 0, size: 0, align: 1, before: 0 };

    /// No memory, for values of this layout. Of those without a size there is room for any number.
    ///
    /// # Panics
    ///
    /// If values are aligned to 4 GiB or more, which no type is.
    pub(crate) fn new(item: Layout) -> Self {
        let Ok(align) = u32::try_from(item.align()) else { panic!("values aligned to {} bytes", item.align()) };
        Self::empty(item.size(), align)
    }

    fn empty(size: usize, align: u32) -> Self {
        let address = ptr::without_provenance_mut((align as usize).max(ALIGN));
        // A power of two is not zero.
        let data = NonNull::new(address).unwrap_or(NonNull::dangling());
        Self { data, capacity: if size == 0 { usize::MAX } else { 0 }, size, align, before: 0 }
    }

    /// Where the values begin.
    #[inline(always)]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// How many values there is memory for.
    #[inline(always)]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The size of one value.
    #[inline(always)]
    pub(crate) fn item_size(&self) -> usize {
        self.size
    }

    /// The bytes of the block.
    pub(crate) fn allocated_bytes(&self) -> usize {
        if self.owns_block() { self.layout(self.capacity).map_or(0, |layout| layout.size()) } else { 0 }
    }

    /// Makes it memory for so many values. The bytes that both have keep their contents.
    ///
    /// # Errors
    ///
    /// If there is no memory, or if that is more than the address space holds; then nothing has changed.
    pub(crate) fn resize(&mut self, capacity: usize) -> Result<(), AllocError> {
        if self.size == 0 || capacity == self.capacity {
            return Ok(());
        }
        if capacity == 0 {
            *self = Self::empty(self.size, self.align);
            return Ok(());
        }
        let new = self.layout(capacity)?;
        let block = if self.owns_block() {
            let old = self.layout(self.capacity)?;
            // SAFETY: the block was allocated with the layout for this capacity, whose alignment is that of the new one. The new size is
            // not zero.
            unsafe { realloc(self.block(), old, new.size()) }
        } else {
            // SAFETY: neither the size of a value nor the capacity is zero, so that the size of the layout is not.
            unsafe { alloc(new) }
        };
        let block = NonNull::new(block).ok_or(AllocError::of(new))?;
        let (was, before) = (usize::from(self.before), self.distance(block));
        if self.capacity != 0 && was != before {
            let bytes = self.size * self.capacity.min(capacity);
            let (from, to) = (block.as_ptr().wrapping_add(was), block.as_ptr().wrapping_add(before));
            // SAFETY: the new block has the bytes of the old one, as far as it is not smaller: the values that both have begin where they
            // did, and there is room for them after the new distance. Both ranges are in the block; they may overlap.
            unsafe { ptr::copy(from, to, bytes) }
        }
        self.data = block.map_addr(|address| address.saturating_add(before));
        (self.before, self.capacity) = (before as u8, capacity);
        Ok(())
    }

    /// The alignment of one value.
    fn align(&self) -> usize {
        self.align as usize
    }

    /// Whether there is a block: with the layout for this capacity.
    fn owns_block(&self) -> bool {
        self.capacity != 0 && self.size != 0
    }

    /// That of a block for so many values.
    fn layout(&self, capacity: usize) -> Result<Layout, AllocError> {
        let (bytes, align) = (self.size.checked_mul(capacity), self.align());
        let (size, align) = match align > ALIGN {
            true => (bytes, align),
            false => (bytes.and_then(|bytes| bytes.checked_add(ALIGN - OF_ALLOCATOR)), OF_ALLOCATOR),
        };
        size.and_then(|size| Layout::from_size_align(size, align).ok()).ok_or(AllocError::TOO_LARGE)
    }

    /// Where the block begins.
    fn block(&self) -> *mut u8 {
        self.data.as_ptr().wrapping_sub(usize::from(self.before))
    }

    /// How many bytes after the start of a block the values begin. Less than [`ALIGN`], and no more than the slack of the block.
    fn distance(&self, block: NonNull<u8>) -> usize {
        // Memory that is aligned to more begins where the block does.
        if self.align() > ALIGN { 0 } else { block.addr().get().wrapping_neg() % ALIGN }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.owns_block()
            && let Ok(layout) = self.layout(self.capacity)
        {
            // SAFETY: the block was allocated with this layout, and is not used afterwards.
            unsafe { dealloc(self.block(), layout) }
        }
    }
}

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
#[inline]
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
#[inline]
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
#[inline]
unsafe fn copy_ends<const N: usize>(from: *const u8, to: *mut u8, size: usize) {
    let last = size - N;
    // SAFETY: both blocks lie within `size` bytes.
    unsafe {
        ptr::copy(from, to, N);
        ptr::copy(from.add(last), to.add(last), N);
    }
}
