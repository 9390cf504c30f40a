//! One column of a table: the type-erased values of one component, stored contiguously.
//!
//! A column owns memory, but not values: it does not store the number of rows, and it does not drop values by itself. The table or sparse
//! set that contains the column counts the rows and drops the values. The memory of a column starts at a multiple of 64 bytes, so that
//! columns do not share cache lines. If the type of the values has a higher alignment, the memory has this alignment
//! (`util/aligned_memory.rs`).

mod copy;

pub(crate) use self::copy::{BegunTicks, ColumnClones, ColumnCopy, ColumnParts, NewValues};
pub(crate) use crate::util::aligned_memory::{SMALL, copy_item, copy_row, move_row};

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::alloc::Layout;
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};

use crate::component::{ComponentInfo, DropFn, SlotAddress, TrackingRequest};
use crate::storage::tick::{Tick, TickCell};
use crate::storage::tracking::Tracking;
use crate::util::aligned_memory::AlignedMemory;
use crate::util::alloc_error::AllocError;

/// The memory for the values of one component, and their ticks.
// Fields that a visit of a table needs come first, usually in one cache line, because a query visits many tables.
#[repr(C)]
pub(crate) struct Column {
    memory: AlignedMemory,
    /// The ticks of the rows; `None` if no consumer has requested them.
    tracking: Option<Box<Tracking>>,
    /// Tick of the last mutable access to the values.
    visited: TickCell,
    drop: Option<DropFn>,
    /// The address of the slot of the type, if the column belongs to a world and the type has a slot.
    slot: Option<SlotAddress>,
    /// The flag by which a reader requests ticks, if the column belongs to a world.
    request: Option<Arc<TrackingRequest>>,
}

// SAFETY: a column contains values of a component, and components are `Send`; it has no other shared state.
unsafe impl Send for Column {}
// SAFETY: `&Column` gives access only to the address of the values and to ticks, which are atomic; components are `Sync`.
unsafe impl Sync for Column {}

impl Column {
    /// Returns a column for a component of a world. Does not allocate.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let mut column = Self::with_item(info.layout(), info.drop_fn());
        column.tracking = info.is_tracked().then(|| Box::new(Tracking::empty()));
        column.request = Some(Arc::clone(info.tracking_request()));
        column.slot = info.slot_address();
        column
    }

    /// Returns the address of the slot of the type; `None` if the type has no slot.
    #[inline]
    pub(crate) fn slot(&self) -> Option<SlotAddress> {
        self.slot
    }

    /// Returns a column for values of this layout that belongs to no world. Does not allocate.
    pub(crate) fn with_item(item: Layout, drop: Option<DropFn>) -> Self {
        let visited = TickCell::default();
        Self { memory: AlignedMemory::new(item), drop, tracking: None, visited, slot: None, request: None }
    }

    /// Returns the size of one value.
    #[inline]
    pub(crate) fn item_size(&self) -> usize {
        self.memory.item_size()
    }

    /// Returns the drop function; `None` if values need not be dropped.
    #[inline]
    pub(crate) fn drop_fn(&self) -> Option<DropFn> {
        self.drop
    }

    /// Returns the address of the first value.
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.memory.data()
    }

    /// Returns the number of values for which there is memory. If ticks are tracked, there is memory for as many ticks.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        match &self.tracking {
            Some(tracking) => self.memory.capacity().min(tracking.capacity()),
            None => self.memory.capacity(),
        }
    }

    /// Returns the ticks of the rows, if they are tracked.
    #[inline]
    pub(crate) fn tracking(&self) -> Option<&Tracking> {
        self.tracking.as_deref()
    }

    /// Returns the flag by which a reader requests ticks; `None` if the column belongs to no world.
    #[inline]
    pub(crate) fn tracking_request(&self) -> Option<&TrackingRequest> {
        self.request.as_deref()
    }

    /// Returns the tick of the last mutable access to the values.
    #[inline]
    pub(crate) fn visited(&self) -> Tick {
        self.visited.get()
    }

    /// Records mutable access to the values. Unlike [`Column::visit`] it does not visit the [`Tracking`]: the caller does this and marks
    /// the rows.
    #[inline]
    pub(crate) fn stamp(&self, now: Tick) {
        self.visited.set(now);
    }

    /// Records mutable access to the values.
    #[inline]
    pub(crate) fn visit(&self, now: Tick) {
        self.visited.set(now);
        if let Some(tracking) = &self.tracking {
            tracking.visit(now);
        }
    }

    /// Begins to track the ticks of `rows` rows. Earlier changes count as made at the later of two ticks: `latest` and the tick of the last
    /// mutable access.
    ///
    /// # Errors
    ///
    /// If the allocation fails; the column is unchanged.
    pub(crate) fn track(&mut self, rows: usize, latest: Tick, now: Tick) -> Result<(), AllocError> {
        if self.tracking.is_none() {
            let visited = self.visited.get();
            let tick = if visited.age(now) < latest.age(now) { visited } else { latest };
            let capacity = if self.memory.item_size() == 0 { rows } else { self.memory.capacity() };
            self.tracking = Some(Box::new(Tracking::new(rows, capacity, tick)?));
        }
        Ok(())
    }

    /// Stops tracking and discards the ticks.
    pub(crate) fn forget_ticks(&mut self) {
        self.tracking = None;
    }

    /// Clamps ticks that are older than the oldest distinguishable age; see [`Tick::clamped`].
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        self.visited.clamp(now);
        if let Some(tracking) = &self.tracking {
            tracking.clamp(now);
        }
    }

    /// Returns the address of the value of a row.
    ///
    /// # Safety
    ///
    /// - `row` is at most the capacity.
    #[inline]
    pub(crate) unsafe fn get(&self, row: usize) -> NonNull<u8> {
        debug_assert!(row <= self.memory.capacity());
        // SAFETY: a row within the capacity is within the allocation; for zero-sized values the offset is 0.
        unsafe { self.memory.data().add(row * self.memory.item_size()) }
    }

    /// Swaps the memory, including the values in it, with another column of the same component.
    fn swap_memory(&mut self, other: &mut Self) {
        debug_assert!(self.memory.item_size() == other.memory.item_size());
        core::mem::swap(&mut self.memory, &mut other.memory);
    }

    /// Grows the memory to `capacity` values and keeps the existing values. Never shrinks.
    ///
    /// # Errors
    ///
    /// If the allocation fails; the column is unchanged.
    pub(crate) fn grow_to(&mut self, capacity: usize) -> Result<(), AllocError> {
        if let Some(tracking) = &mut self.tracking {
            tracking.grow_to(capacity)?;
        }
        if capacity > self.memory.capacity() { self.memory.resize(capacity) } else { Ok(()) }
    }

    /// Releases the memory beyond `capacity` values. If the reallocation fails, the column is unchanged.
    ///
    /// # Safety
    ///
    /// - Values from row `capacity` on are not used afterwards.
    pub(crate) unsafe fn shrink_to(&mut self, capacity: usize) {
        if let Some(tracking) = &mut self.tracking {
            tracking.shrink_to(capacity);
        }
        if capacity < self.memory.capacity() {
            // If the reallocation fails, the larger memory is kept, which is no error.
            _ = self.memory.resize(capacity);
        }
    }

    /// Moves the last value, with its ticks, to a row. The old value of the row is moved to the row `last`, which is then past the end, so
    /// that the caller can drop it. If the old value need not be dropped and `is_kept` is false, it is overwritten instead.
    ///
    /// # Safety
    ///
    /// - Both rows have values and differ; `last` is the last row.
    #[inline]
    pub(crate) unsafe fn put_past_end(&mut self, row: usize, last: usize, is_kept: bool) {
        debug_assert!(row != last && row < self.memory.capacity() && last < self.memory.capacity());
        if let Some(tracking) = &self.tracking {
            tracking.carry_row(last, row);
        }
        // SAFETY: both rows are within the capacity and differ, so the two ranges are valid and do not overlap.
        unsafe {
            if is_kept || self.drop.is_some() {
                self.swap_values(row, last);
            } else {
                copy_item(self.get(last).as_ptr(), self.get(row).as_ptr(), self.memory.item_size());
            }
        }
    }

    /// Overwrites the value of a row with the last value.
    ///
    /// # Safety
    ///
    /// - Both rows have values and differ; the overwritten value is not used afterwards. The column has no ticks.
    #[inline]
    pub(crate) unsafe fn overwrite(&self, row: usize, last: usize) {
        debug_assert!(
            row != last && row < self.memory.capacity() && last < self.memory.capacity() && self.tracking.is_none()
        );
        let size = self.memory.item_size();
        // SAFETY: both rows are within the capacity and differ, so the two ranges are valid and do not overlap.
        unsafe {
            if size <= SMALL {
                copy_row(self.memory.data(), last, (self.memory.data(), row), size);
            } else {
                ptr::copy_nonoverlapping(self.get(last).as_ptr(), self.get(row).as_ptr(), size);
            }
        }
    }

    /// Overwrites the values of the `count` rows from `row` on with the values of the `count` rows from `from` on.
    ///
    /// # Safety
    ///
    /// - All of these rows have values, and the two ranges do not overlap; the overwritten values are not used afterwards. The
    ///   column has no ticks.
    #[inline]
    pub(crate) unsafe fn overwrite_rows(&self, row: usize, from: usize, count: usize) {
        debug_assert!(row + count <= from && from + count <= self.memory.capacity() && self.tracking.is_none());
        // SAFETY: all rows are within the capacity, and the two ranges do not overlap.
        unsafe { self.get(row).copy_from_nonoverlapping(self.get(from), count * self.memory.item_size()) }
    }

    /// Swaps the values of two rows, and their ticks.
    ///
    /// # Safety
    ///
    /// - Both rows are within the capacity and differ.
    #[inline]
    pub(crate) unsafe fn swap_rows(&mut self, a: usize, b: usize) {
        if let Some(tracking) = &self.tracking {
            tracking.swap_rows(a, b);
        }
        // SAFETY: forwarded: both rows are within the capacity and differ.
        unsafe { self.swap_values(a, b) }
    }

    /// Swaps the values of two rows.
    ///
    /// # Safety
    ///
    /// - Both rows are within the capacity and differ.
    #[inline]
    unsafe fn swap_values(&mut self, a: usize, b: usize) {
        debug_assert!(a != b && a < self.memory.capacity() && b < self.memory.capacity());
        // SAFETY: both rows are within the capacity and differ, so the two ranges are valid and do not overlap.
        unsafe { ptr::swap_nonoverlapping(self.get(a).as_ptr(), self.get(b).as_ptr(), self.memory.item_size()) }
    }

    /// Drops `count` values from row `first` on.
    ///
    /// # Safety
    ///
    /// - The rows have values, which are not used afterwards.
    #[inline]
    pub(crate) unsafe fn drop_rows(&mut self, first: usize, count: usize) {
        if let Some(drop) = self.drop {
            debug_assert!(first + count <= self.memory.capacity());
            // SAFETY: forwarded: the rows have values that are not used again. `drop` is the drop function of the column's type,
            // since both come from one `ComponentInfo`.
            unsafe { drop(self.get(first).as_ptr(), count) }
        }
    }

    /// Returns the number of bytes that the column has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let ticks = self.tracking().map_or(0, Tracking::allocated_bytes);
        ticks + self.memory.allocated_bytes()
    }
}

/// The columns of a table. They never move in memory, so that their addresses can be cached.
pub(crate) struct Columns(NonNull<[Column]>);

// SAFETY: owns its columns, which are `Send`.
unsafe impl Send for Columns {}
// SAFETY: gives shared access to its columns only through `&self`; columns are `Sync`.
unsafe impl Sync for Columns {}

impl FromIterator<Column> for Columns {
    fn from_iter<I: IntoIterator<Item = Column>>(columns: I) -> Self {
        Self(NonNull::from(Box::leak(columns.into_iter().collect::<Box<[Column]>>())))
    }
}

impl Columns {
    /// Returns the address of a column; `None` if the index is out of bounds. The address is valid for as long as the columns exist.
    pub(crate) fn address(&self, index: usize) -> Option<ColumnAddress> {
        let first = self.0.cast::<Column>();
        let at = |index| first.map_addr(|address| address.saturating_add(index * size_of::<Column>()));
        (index < self.0.len()).then(|| ColumnAddress(at(index)))
    }
}

impl Deref for Columns {
    type Target = [Column];

    #[inline]
    fn deref(&self) -> &[Column] {
        // SAFETY: the columns came from a box and live as long as `self`, which is borrowed.
        unsafe { self.0.as_ref() }
    }
}

impl DerefMut for Columns {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Column] {
        // SAFETY: the columns came from a box and live as long as `self`, which is borrowed mutably.
        unsafe { self.0.as_mut() }
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        // SAFETY: the columns came from a box, and `self` is their only owner.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// A column that belongs to no table.
static NO_TABLE: Column = Column {
    memory: AlignedMemory::NONE,
    drop: None,
    tracking: None,
    visited: TickCell::new(Tick::new(0)),
    slot: None,
    request: None,
};

/// The address of a column of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ColumnAddress(NonNull<Column>);

impl_default!([] ColumnAddress => Self::NOWHERE);

// SAFETY: reading the column requires the caller to ensure that it exists and is not being changed.
unsafe impl Send for ColumnAddress {}
// SAFETY: reading the column requires the caller to ensure that it exists and is not being changed.
unsafe impl Sync for ColumnAddress {}

impl ColumnAddress {
    /// A dangling address.
    pub(crate) const NOWHERE: Self = Self(NonNull::dangling());

    /// The address of a static column that has no values and no slot.
    pub(crate) const OF_NO_TABLE: Self = Self(NonNull::from_ref(&NO_TABLE));

    /// Returns the address of the first value of the column.
    ///
    /// # Safety
    ///
    /// - The table of the column exists and is not being changed.
    #[inline]
    pub(crate) unsafe fn data(self) -> NonNull<u8> {
        // SAFETY: forwarded: the table of the column exists and is not being changed.
        unsafe { (*self.0.as_ptr()).memory.data() }
    }

    /// Returns the column.
    ///
    /// # Safety
    ///
    /// - The table of the column exists and is not being changed for `'a`.
    #[inline]
    pub(crate) unsafe fn column<'a>(self) -> &'a Column {
        // SAFETY: forwarded: the table of the column exists and is not being changed for `'a`.
        unsafe { self.0.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_size_is_copied_whole_and_nothing_beyond() {
        let from: Vec<u8> = (0..=200).collect();
        for size in 0..=200 {
            let mut to = [0xffu8; 208];
            // SAFETY: both buffers are longer than 200 bytes and distinct.
            unsafe { copy_item(from.as_ptr(), to.as_mut_ptr(), size) };
            assert_eq!(&to[..size], &from[..size]);
            assert!(to[size..].iter().all(|&byte| byte == 0xff), "size {size}");
        }
    }

    #[test]
    fn memory_is_aligned_and_asking_for_too_much_is_an_error() {
        for align in [1usize, 64, 4096] {
            let mut column = Column::with_item(Layout::from_size_align(align, align).unwrap(), None);
            assert_eq!(column.data().as_ptr().addr() % align.max(64), 0);
            for capacity in [1, 2, 3, 50] {
                column.grow_to(capacity).unwrap();
                assert_eq!(column.data().as_ptr().addr() % align.max(64), 0);
                assert_eq!(column.capacity(), capacity);
            }
            assert_eq!(column.grow_to(usize::MAX), Err(AllocError::TOO_LARGE));
            assert_eq!(column.capacity(), 50);
        }
    }

    #[test]
    fn shrinking_keeps_values_and_alignment_and_growing_goes_on() {
        for align in [8usize, 64, 4096] {
            let mut column = Column::with_item(Layout::from_size_align(align, align).unwrap(), None);
            column.grow_to(50).unwrap();
            for row in 0..50 {
                // SAFETY: the row is within the capacity, and the memory is aligned for more than 8 bytes.
                unsafe { column.get(row).cast::<u64>().write(row as u64) };
            }
            for capacity in [50, 60, 20, 3] {
                // SAFETY: rows from the capacity on are not read below.
                unsafe { column.shrink_to(capacity) };
                assert_eq!(column.capacity(), capacity.min(50));
                assert_eq!(column.data().as_ptr().addr() % align.max(64), 0);
            }
            column.grow_to(9).unwrap();
            for row in 0..3 {
                // SAFETY: the row was written above and kept since.
                assert_eq!(unsafe { column.get(row).cast::<u64>().read() }, row as u64);
            }
            // SAFETY: nothing is read afterwards.
            unsafe { column.shrink_to(0) };
            assert_eq!((column.capacity(), column.allocated_bytes()), (0, 0));
            assert_eq!(column.data().as_ptr().addr() % align.max(64), 0);
            column.grow_to(1).unwrap();
            assert_eq!(column.capacity(), 1);
        }
    }

    #[test]
    fn zero_sized_values_need_no_memory() {
        let mut column = Column::with_item(Layout::from_size_align(0, 128).unwrap(), None);
        // SAFETY: there are no values.
        unsafe { column.shrink_to(0) };
        assert_eq!((column.capacity(), column.allocated_bytes()), (usize::MAX, 0));
        assert_eq!(column.data().as_ptr().addr() % 128, 0);
    }
}
