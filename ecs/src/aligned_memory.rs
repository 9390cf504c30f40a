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

/// Memory for so many bytes with this alignment, which is at least [`ALIGN`].
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    bytes: usize,
    align: usize,
}

impl Extent {
    /// Of so many items.
    ///
    /// # Errors
    ///
    /// If that is more than the address space holds.
    pub(crate) fn of(item: Layout, count: usize) -> Result<Self, AllocError> {
        let bytes = item.size().checked_mul(count).ok_or(AllocError::TOO_LARGE)?;
        let extent = Self { bytes, align: item.align().max(ALIGN) };
        extent.layout().map(|_| extent)
    }

    /// The block in which it lies.
    fn layout(self) -> Result<Layout, AllocError> {
        let (size, align) = match self.align > ALIGN {
            true => (Some(self.bytes), self.align),
            false => (self.bytes.checked_add(ALIGN - OF_ALLOCATOR), OF_ALLOCATOR),
        };
        size.and_then(|size| Layout::from_size_align(size, align).ok()).ok_or(AllocError::TOO_LARGE)
    }

    /// The bytes of the block.
    pub(crate) fn allocated_bytes(self) -> usize {
        self.layout().map_or(0, |layout| layout.size())
    }
}

/// Where the values of an [`Extent`] begin.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) data: NonNull<u8>,
    /// By how many bytes they begin behind the block.
    pub(crate) before: u8,
}

impl Memory {
    /// An address for no bytes: aligned, and never read.
    pub(crate) fn nowhere(item: Layout) -> Self {
        let address = ptr::without_provenance_mut(item.align().max(ALIGN));
        // A power of two is not zero.
        Self { data: NonNull::new(address).unwrap_or(NonNull::dangling()), before: 0 }
    }

    /// Memory for some bytes, without contents.
    ///
    /// # Errors
    ///
    /// If there is none.
    ///
    /// # Safety
    ///
    /// - The extent has at least one byte.
    pub(crate) unsafe fn allocate(extent: Extent) -> Result<Self, AllocError> {
        let layout = extent.layout()?;
        // SAFETY: the size is not zero, as the caller promises.
        let block = NonNull::new(unsafe { alloc(layout) }).ok_or(AllocError::of(layout))?;
        let before = distance(block, extent);
        // SAFETY: the block has room for the bytes of the extent behind the distance, which is less than the slack.
        Ok(Self { data: unsafe { block.add(before) }, before: before as u8 })
    }

    /// Makes it larger or smaller. The bytes that both have keep their contents.
    ///
    /// # Errors
    ///
    /// If there is no memory; then nothing has changed.
    ///
    /// # Safety
    ///
    /// - The memory was allocated, or reallocated last, for `old`, and was not freed.
    /// - Both extents have at least one byte, and the same alignment.
    /// - The memory is not used by this address afterwards, unless an error is returned.
    pub(crate) unsafe fn reallocate(self, old: Extent, new: Extent) -> Result<Self, AllocError> {
        debug_assert!(old.align == new.align && old.bytes != 0 && new.bytes != 0);
        let (from, to) = (old.layout()?, new.layout()?);
        // SAFETY: the values begin so many bytes behind the block, which was allocated with the layout of the old extent, as the caller
        // promises; both layouts have the alignment that follows from the same alignment; the new size is not zero.
        let grown = unsafe { realloc(self.block().as_ptr(), from, to.size()) };
        let block = NonNull::new(grown).ok_or(AllocError::of(to))?;
        let (was, before) = (usize::from(self.before), distance(block, new));
        // SAFETY: the new block has the bytes of the old one, as far as it is not smaller: the values that both have begin where they
        // did, and there is room for them behind the new distance. Both ranges are in the block; they may overlap.
        unsafe {
            if was != before {
                ptr::copy(block.as_ptr().add(was), block.as_ptr().add(before), old.bytes.min(new.bytes));
            }
            Ok(Self { data: block.add(before), before: before as u8 })
        }
    }

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// - The memory was allocated, or reallocated last, for this extent, and is not used afterwards.
    pub(crate) unsafe fn free(self, extent: Extent) {
        if let Ok(layout) = extent.layout() {
            // SAFETY: the block was allocated with this layout, as the caller promises.
            unsafe { dealloc(self.block().as_ptr(), layout) }
        }
    }

    /// Where the block begins.
    ///
    /// # Safety
    ///
    /// - The memory was allocated and not freed.
    unsafe fn block(self) -> NonNull<u8> {
        // SAFETY: the values begin so many bytes behind the block.
        unsafe { self.data.sub(usize::from(self.before)) }
    }
}

/// How far behind the beginning of a block the first byte of an extent is. Less than [`ALIGN`], and no more than the slack of the block.
fn distance(block: NonNull<u8>, extent: Extent) -> usize {
    // Memory that is aligned to more begins where the block does.
    if extent.align > ALIGN { 0 } else { block.addr().get().wrapping_neg() % ALIGN }
}
