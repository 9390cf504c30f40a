//! Memory of columns: aligned to whole cache lines, and grown in place where the allocator can do that.
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
    item: Layout,
    /// How many bytes after the start of the block the values begin.
    before: u8,
}

impl Memory {
    /// No memory for values without a size, and none for others.
    pub(crate) const NONE: Self = Self { data: NonNull::dangling(), capacity: 0, item: Layout::new::<()>(), before: 0 };

    /// No memory, for values of this layout. Of those without a size there is room for any number.
    pub(crate) fn new(item: Layout) -> Self {
        let address = ptr::without_provenance_mut(item.align().max(ALIGN));
        // A power of two is not zero.
        let data = NonNull::new(address).unwrap_or(NonNull::dangling());
        Self { data, capacity: if item.size() == 0 { usize::MAX } else { 0 }, item, before: 0 }
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

    /// Size and alignment of one value.
    #[inline(always)]
    pub(crate) fn item(&self) -> Layout {
        self.item
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
        if self.item.size() == 0 || capacity == self.capacity {
            return Ok(());
        }
        if capacity == 0 {
            *self = Self::new(self.item);
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
            let bytes = self.item.size() * self.capacity.min(capacity);
            let (from, to) = (block.as_ptr().wrapping_add(was), block.as_ptr().wrapping_add(before));
            // SAFETY: the new block has the bytes of the old one, as far as it is not smaller: the values that both have begin where they
            // did, and there is room for them after the new distance. Both ranges are in the block; they may overlap.
            unsafe { ptr::copy(from, to, bytes) }
        }
        self.data = block.map_addr(|address| address.saturating_add(before));
        (self.before, self.capacity) = (before as u8, capacity);
        Ok(())
    }

    /// Whether there is a block: with the layout for this capacity.
    fn owns_block(&self) -> bool {
        self.capacity != 0 && self.item.size() != 0
    }

    /// That of a block for so many values.
    fn layout(&self, capacity: usize) -> Result<Layout, AllocError> {
        let (bytes, align) = (self.item.size().checked_mul(capacity), self.item.align());
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
        if self.item.align() > ALIGN { 0 } else { block.addr().get().wrapping_neg() % ALIGN }
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
