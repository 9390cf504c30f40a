//! Memory of columns, and functions that copy single values. The memory is aligned to cache lines, and is reallocated in place where the
//! allocator supports that.
//!
//! The C function `realloc` has no alignment parameter. So if a block has a greater alignment than the allocator guarantees, reallocating
//! it copies the memory. For large blocks, which could otherwise be remapped, this means a copy and new pages. To avoid the copy, a block
//! is allocated with the guaranteed alignment and a few additional bytes, and the values begin at the first cache line boundary in the
//! block. Only for types that are aligned to more than a cache line is the memory copied.
//!
//! Tests: tests/hazards/layout.rs, tests/memory/layouts.rs, tests/memory/alloc_failure.rs

use alloc::alloc::{alloc, dealloc, realloc};
use core::alloc::Layout;
use core::ptr::{self, NonNull};

use crate::util::alloc_error::AllocError;

/// The minimum alignment of the values of a column: a cache line.
const ALIGN: usize = 64;

/// The alignment that allocators guarantee without a request.
const OF_ALLOCATOR: usize = 2 * size_of::<usize>();

/// Memory for values of one layout. Owns the memory, but no values.
#[repr(C)]
pub(crate) struct AlignedMemory {
    /// The address of the first value. It is aligned even if nothing is allocated.
    data: NonNull<u8>,
    /// The number of values that fit. It is constant for zero-sized values, which need no memory.
    capacity: usize,
    /// The size of a value.
    size: usize,
    /// The alignment of a value. The field has four bytes, so that it shares a word with `before`.
    align: u32,
    /// Offset of the first value in the block, in bytes.
    before: u8,
}

impl AlignedMemory {
    /// No memory, with size 0 and capacity 0.
    pub(crate) const NONE: Self = Self { data: NonNull::dangling(), capacity: 0, size: 0, align: 1, before: 0 };

    /// Returns memory for values of this layout, without an allocation. For zero-sized values its capacity is unlimited.
    ///
    /// # Panics
    ///
    /// If the alignment is 4 GiB or more, which no type has.
    pub(crate) fn new(item: Layout) -> Self {
        let Ok(align) = u32::try_from(item.align()) else { panic!("values aligned to {} bytes", item.align()) };
        Self::empty(item.size(), align)
    }

    fn empty(size: usize, align: u32) -> Self {
        let address = ptr::without_provenance_mut((align as usize).max(ALIGN));
        // The alignment is a power of two, so it is not zero and the fallback is not used.
        let data = NonNull::new(address).unwrap_or(NonNull::dangling());
        Self { data, capacity: if size == 0 { usize::MAX } else { 0 }, size, align, before: 0 }
    }

    /// Returns the address of the first value.
    #[inline(always)]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Returns the number of values that fit.
    #[inline(always)]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the size of one value.
    #[inline(always)]
    pub(crate) fn item_size(&self) -> usize {
        self.size
    }

    /// Returns the size of the block in bytes.
    pub(crate) fn allocated_bytes(&self) -> usize {
        if self.owns_block() { self.layout(self.capacity).map_or(0, |layout| layout.size()) } else { 0 }
    }

    /// Reallocates the memory for `capacity` values. Values that fit before and afterwards are kept.
    ///
    /// # Errors
    ///
    /// If the allocation fails or the size exceeds the address space. Then nothing has changed.
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
            // SAFETY: the block was allocated with the layout for `self.capacity`, which has the same alignment as the new one. The
            // new size is not zero.
            unsafe { realloc(self.block(), old, new.size()) }
        } else {
            // SAFETY: neither the size of a value nor the capacity is zero, so the size of the layout is not zero.
            unsafe { alloc(new) }
        };
        let block = NonNull::new(block).ok_or(AllocError::of(new))?;
        let (was, before) = (usize::from(self.before), self.distance(block));
        if self.capacity != 0 && was != before {
            let bytes = self.size * self.capacity.min(capacity);
            let (from, to) = (block.as_ptr().wrapping_add(was), block.as_ptr().wrapping_add(before));
            // SAFETY: the new block has the bytes of the old one, up to the smaller of both sizes: the values common to both are at
            // the old offset, and there is room for them at the new one. Both ranges are in the block; `copy` allows overlap.
            unsafe { ptr::copy(from, to, bytes) }
        }
        self.data = block.map_addr(|address| address.saturating_add(before));
        (self.before, self.capacity) = (before as u8, capacity);
        Ok(())
    }

    /// Returns the alignment of one value.
    fn align(&self) -> usize {
        self.align as usize
    }

    /// Returns whether there is an allocated block. Its layout is `self.layout(self.capacity)`.
    fn owns_block(&self) -> bool {
        self.capacity != 0 && self.size != 0
    }

    /// Returns the layout of a block for `capacity` values.
    fn layout(&self, capacity: usize) -> Result<Layout, AllocError> {
        let (bytes, align) = (self.size.checked_mul(capacity), self.align());
        let (size, align) = match align > ALIGN {
            true => (bytes, align),
            false => (bytes.and_then(|bytes| bytes.checked_add(ALIGN - OF_ALLOCATOR)), OF_ALLOCATOR),
        };
        size.and_then(|size| Layout::from_size_align(size, align).ok()).ok_or(AllocError::TOO_LARGE)
    }

    /// Returns the address of the block.
    fn block(&self) -> *mut u8 {
        self.data.as_ptr().wrapping_sub(usize::from(self.before))
    }

    /// Returns the offset of the first value in a block, in bytes. It is less than [`ALIGN`], and at most the number of additional bytes of
    /// the block.
    fn distance(&self, block: NonNull<u8>) -> usize {
        // With a greater alignment the block itself is aligned, so the values start at its beginning.
        if self.align() > ALIGN { 0 } else { block.addr().get().wrapping_neg() % ALIGN }
    }
}

impl Drop for AlignedMemory {
    fn drop(&mut self) {
        if self.owns_block()
            && let Ok(layout) = self.layout(self.capacity)
        {
            // SAFETY: the block was allocated with this layout, and is not used afterwards.
            unsafe { dealloc(self.block(), layout) }
        }
    }
}

/// Values up to this size are copied without a function call.
pub(crate) const SMALL: usize = 64;

/// Copies `size` bytes like `memmove`, without a function call for the usual sizes of components.
///
/// # Safety
///
/// - `from` is readable and `to` writable for `size` bytes, and they are equal or do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy_item(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: forwarded: `from` is readable and `to` writable for `size` bytes, and they are equal or do not overlap.
    unsafe { if size <= SMALL { copy_small(from, to, size) } else { ptr::copy(from, to, size) } }
}

/// Copies up to `SMALL` bytes.
///
/// # Safety
///
/// - The conditions of `copy_item`, and `size` is at most `SMALL`.
#[inline(always)]
unsafe fn copy_small(from: *const u8, to: *mut u8, size: usize) {
    // Ranges, with the usual sizes first, are faster than a `match` on single sizes. SAFETY: forwarded: both pointers are valid for
    // `size` bytes and equal or disjoint; the branches check the size.
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

/// Copies an item from a row of one column to a row of another column or of the same column.
///
/// # Safety
///
/// - The rows are within the memory of the columns. They are the same row, or do not overlap. `size` is the size of the items, and at most
///   `SMALL`.
#[inline]
pub(crate) unsafe fn copy_row(from: NonNull<u8>, row: usize, (to, target): (NonNull<u8>, usize), size: usize) {
    // SAFETY: forwarded: both rows are within the memory of their columns and equal or disjoint; the branches check the size, and
    // byte arrays need no alignment. The most common sizes are checked first, with two comparisons.
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

/// Moves the item of `row` to the row `target` of another column, and the last item to `row`. If the item is the last item, only moves the
/// item.
///
/// # Safety
///
/// - The columns do not overlap. `row` and `last` have items in the first column, and `target` is within the memory of the other column.
///   `size` is the size of the items, and at most `SMALL`.
#[inline]
pub(crate) unsafe fn move_row(
    from: NonNull<u8>,
    [row, last]: [usize; 2],
    (to, target): (NonNull<u8>, usize),
    size: usize,
) {
    /// # Safety
    ///
    /// - The conditions of `move_row`, for items of `N` bytes.
    #[inline(always)]
    unsafe fn of<const N: usize>(from: NonNull<u8>, [row, last]: [usize; 2], (to, target): (NonNull<u8>, usize)) {
        let (from, to) = (from.cast::<[u8; N]>(), to.cast::<[u8; N]>());
        // SAFETY: forwarded: the rows are within the memory of their columns, which do not overlap; byte arrays need no alignment.
        unsafe {
            ptr::copy(from.add(row).as_ptr(), to.add(target).as_ptr(), 1);
            ptr::copy(from.add(last).as_ptr(), from.add(row).as_ptr(), 1);
        }
    }
    // SAFETY: forwarded: the rows are within the memory of their columns, which do not overlap; the branches check the size. For
    // constant sizes the addresses are computed without a multiplication.
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

/// Moves the item at `place` to `new`, and the last item to `place`. If the item is the last item, only moves the item.
///
/// # Safety
///
/// - All three addresses are readable and writable for `size` bytes. `place` and `last` are equal or do not overlap, and `new` overlaps
///   neither of them. `size` is at most `SMALL`.
#[inline(always)]
unsafe fn move_item(place: *mut u8, new: *mut u8, last: *const u8, size: usize) {
    /// # Safety
    ///
    /// - The conditions of `move_item`, with `N <= size <= 2 * N`.
    #[inline(always)]
    unsafe fn both<const N: usize>(place: *mut u8, new: *mut u8, last: *const u8, size: usize) {
        // SAFETY: forwarded: the pointers are valid for `size` bytes, `place` and `last` are equal or disjoint, `new` overlaps
        // neither, and `N <= size <= 2 * N`.
        unsafe {
            copy_ends::<N>(place, new, size);
            copy_ends::<N>(last, place, size);
        }
    }
    // SAFETY: forwarded: the pointers are valid for `size` bytes, `place` and `last` are equal or disjoint, and `new` overlaps
    // neither; the branches check the size, in the same ranges as in `copy_small`.
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

/// Copies `size` bytes as two blocks of `N` bytes. The blocks overlap in the middle, unless `size` is `2 * N`. If `from` and `to` are
/// equal, nothing changes, since each block is written where it was read.
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
