//! One removal log, with or without values, and the readers that it is kept for.
//!
//! Entries have numbers that only increase. Each reader shares its position, the number of its next entry, with the log, so the log can
//! determine which entries all readers have passed, and which readers still exist.
//!
//! Tests: tests/changes/removed/readers.rs, tests/changes/removed/drops.rs

mod copy;

pub(crate) use self::copy::LogCopy;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::slice;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::storage::column::{Column, copy_item};
use crate::util::alloc_error::{AllocError, try_reserve, try_shrink};

/// The maximum number of entries that are kept for readers that lag, unless a limit is set.
pub(super) const LIMIT: usize = 1 << 20;

/// The maximum number of bytes of values that are kept for readers that lag, unless a limit is set. Memory that values own is not counted.
const VALUE_BYTES: usize = 64 << 20;

/// The message of the panic if there is no room. Operations make room before they move anything, so that recording cannot fail.
const NO_ROOM: &str = "room for what an operation removes is made before anything is removed";

/// The position of a reader: the number of the next entry that it reads.
///
/// Only the reader writes the position. The log reads the position only while the log is changed, and no reader is reading then. So relaxed
/// loads and stores suffice.
#[derive(Debug)]
pub(super) struct ReaderPosition(AtomicU64);

impl ReaderPosition {
    #[inline]
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set(&self, next: u64) {
        self.0.store(next, Ordering::Relaxed);
    }
}

/// The removals of one component.
///
/// The entries with the indexes `tail..head` cannot be read any more, but their values have not been dropped yet; the entries from `head`
/// on can be read.
pub struct RemovalLog {
    entities: Vec<Entity>,
    /// In a log with values, the value of each entry from `tail` on. The capacity of the column is at least the capacity of `entities`,
    /// except while `entities` grows.
    values: Option<Column>,
    tail: usize,
    head: usize,
    /// The number of the entry with the index `head`.
    first: u64,
    limit: usize,
    readers: Vec<Arc<ReaderPosition>>,
}

impl RemovalLog {
    /// Creates a log without values.
    pub(super) fn of_entities() -> Self {
        Self::new(None)
    }

    /// Creates a log with values of a component.
    pub(super) fn of_values(info: &ComponentInfo) -> Self {
        Self::new(Some(Column::with_item(info.layout(), info.drop_fn())))
    }

    fn new(values: Option<Column>) -> Self {
        Self { entities: Vec::new(), values, tail: 0, head: 0, first: 0, limit: LIMIT, readers: Vec::new() }
    }

    /// Returns the number of the oldest entry that can be read.
    pub(super) fn start(&self) -> u64 {
        self.first
    }

    /// Returns the number of the next entry to be written.
    pub(super) fn end(&self) -> u64 {
        self.first + self.len() as u64
    }

    /// Returns how many entries can be read.
    pub(super) fn len(&self) -> usize {
        self.entities.len() - self.head
    }

    /// Returns the entities of the readable entries from this number on.
    pub(super) fn entities_since(&self, number: u64) -> &[Entity] {
        &self.entities[self.index_of(number)..]
    }

    /// Returns the values of the readable entries from this number on.
    ///
    /// # Safety
    ///
    /// - The log has values, of the type `T`.
    pub(super) unsafe fn values_since<T>(&self, number: u64) -> &[T] {
        let index = self.index_of(number);
        let Some(values) = &self.values else { unreachable!("a list of values has values") };
        debug_assert_eq!(values.item_size(), size_of::<T>());
        // SAFETY: the entries from `head` on have values, and the index is not below `head`; they are of type `T` (forwarded). They change
        // only when the log does, which is borrowed.
        unsafe { slice::from_raw_parts(values.get(index).cast().as_ptr(), self.entities.len() - index) }
    }

    fn index_of(&self, number: u64) -> usize {
        debug_assert!(self.first <= number && number <= self.end());
        self.head + (number - self.first) as usize
    }

    /// Adds a reader, which starts at the next entry.
    pub(super) fn add_reader(&mut self) -> Arc<ReaderPosition> {
        self.forget_dead_readers();
        let seen = Arc::new(ReaderPosition(AtomicU64::new(self.end())));
        self.readers.push(Arc::clone(&seen));
        seen
    }

    /// Returns whether this reader belongs to this log.
    pub(super) fn is_read_by(&self, seen: &Arc<ReaderPosition>) -> bool {
        self.readers.iter().any(|reader| Arc::ptr_eq(reader, seen))
    }

    /// Returns whether the log has readers.
    #[inline]
    pub(super) fn has_readers(&self) -> bool {
        !self.readers.is_empty()
    }

    fn forget_dead_readers(&mut self) {
        self.readers.retain(|reader| Arc::strong_count(reader) > 1);
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.keep_to_limit();
    }

    /// Makes the oldest `count` entries unreadable.
    fn forget(&mut self, count: usize) {
        debug_assert!(count <= self.len());
        self.head += count;
        self.first += count as u64;
        if !self.needs_drop() {
            self.tail = self.head;
            self.close_gap_of_all();
        }
    }

    /// Reuses the memory from the front, if no entries are left.
    fn close_gap_of_all(&mut self) {
        if self.tail == self.entities.len() {
            self.entities.clear();
            (self.tail, self.head) = (0, 0);
        }
    }

    /// Makes the entries unreadable that all readers have passed.
    pub(super) fn forget_passed(&mut self) {
        self.forget_dead_readers();
        let end = self.end();
        let passed = self.readers.iter().map(|reader| reader.get()).min().unwrap_or(end);
        self.forget(passed.clamp(self.first, end).abs_diff(self.first) as usize);
    }

    /// Returns the maximum number of entries that can be read.
    fn bound(&self) -> usize {
        match &self.values {
            Some(values) if self.limit == LIMIT => (VALUE_BYTES / values.item_size().max(1)).clamp(1, LIMIT),
            _ => self.limit,
        }
    }

    fn keep_to_limit(&mut self) {
        let excess = self.len().saturating_sub(self.bound());
        if excess != 0 {
            self.forget(excess);
        }
    }

    pub(super) fn needs_drop(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.drop_fn().is_some())
    }

    /// Returns whether there are values to be dropped.
    pub(super) fn has_expired(&self) -> bool {
        self.tail < self.head
    }

    /// Drops the values that no reader can read any more. The log is consistent before the first value is dropped.
    pub(super) fn drop_expired(&mut self) {
        let (first, count) = (self.tail, self.head - self.tail);
        self.tail = self.head;
        self.close_gap_of_all();
        if let Some(values) = &mut self.values {
            // SAFETY: the entries had values, which nothing owns since `tail` has passed them.
            unsafe { values.drop_rows(first, count) }
        }
    }

    /// Makes room for more entries.
    ///
    /// # Errors
    ///
    /// If there is no memory. The entries are unchanged.
    #[inline]
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), AllocError> {
        if self.has_room_for(more) { Ok(()) } else { self.make_room(more) }
    }

    #[inline]
    fn has_room_for(&self, more: usize) -> bool {
        let needed = self.entities.len().saturating_add(more);
        needed <= self.entities.capacity() && self.values.as_ref().is_none_or(|values| needed <= values.capacity())
    }

    /// Removes the entries that all readers have passed, and allocates if that does not free enough memory.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, more: usize) -> Result<(), AllocError> {
        self.forget_passed();
        if self.tail >= self.entities.len().div_ceil(2) {
            self.close_gap();
        }
        try_reserve(&mut self.entities, more)?;
        match &mut self.values {
            Some(values) => values.grow_to(self.entities.capacity()),
            None => Ok(()),
        }
    }

    /// Moves the entries to the front of the memory.
    fn close_gap(&mut self) {
        if self.tail == 0 {
            return;
        }
        let count = self.entities.len() - self.tail;
        if let Some(values) = &self.values {
            // SAFETY: both ranges are within the memory, which has room for as many values as `entities` has entries. The moved values are
            // not used at their old places any more.
            unsafe { values.get(0).copy_from(values.get(self.tail), count * values.item_size()) }
        }
        self.entities.drain(..self.tail);
        self.head -= self.tail;
        self.tail = 0;
    }

    /// Adds an entity to a log without values, if the log has readers and room, and is below its limit. Returns whether the entity was
    /// added.
    #[inline]
    pub(super) fn push_if_easy(&mut self, entity: Entity) -> bool {
        debug_assert!(self.values.is_none());
        let is_easy = self.has_readers() && self.entities.len() < self.entities.capacity() && self.len() < self.limit;
        if is_easy {
            self.entities.push(entity);
        }
        is_easy
    }

    /// Adds entities to a log without values, in this order. There must be room for them.
    #[inline]
    pub(super) fn push_all(&mut self, entities: &[Entity]) {
        debug_assert!(self.values.is_none());
        assert!(self.has_room_for(entities.len()), "{NO_ROOM}");
        self.entities.extend_from_slice(entities);
        self.keep_to_limit();
    }

    /// Adds entities and their values to a log with values. The values belong to the log now. Returns whether they need drop. There must be
    /// room for them.
    ///
    /// # Safety
    ///
    /// - `value` returns, for the index of an entity in `entities`, the address of a value of the log's component. The value is outside of
    ///   the log, is not used as a value afterwards, and does not belong to another entity.
    #[inline]
    pub(super) unsafe fn push_values(&mut self, entities: &[Entity], value: impl Fn(usize) -> *const u8) -> bool {
        assert!(self.has_room_for(entities.len()), "{NO_ROOM}");
        let first = self.entities.len();
        let Some(values) = &self.values else { unreachable!("a list of values has values") };
        let size = values.item_size();
        for number in 0..entities.len() {
            // SAFETY: there is room for these values after the last one; `value` returns the address of a value to be moved (forwarded).
            unsafe { copy_item(value(number), values.get(first + number).as_ptr(), size) }
        }
        self.entities.extend_from_slice(entities);
        self.keep_to_limit();
        self.needs_drop()
    }

    /// Frees the memory that the current entries do not need.
    pub(super) fn shrink_to_fit(&mut self) {
        self.close_gap();
        try_shrink(&mut self.entities);
        if let Some(values) = &mut self.values {
            // SAFETY: these are all entries that have values.
            unsafe { values.shrink_to(self.entities.len()) }
        }
        try_shrink(&mut self.readers);
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.entities.capacity() * size_of::<Entity>()
            + self.values.as_ref().map_or(0, Column::allocated_bytes)
            + self.readers.capacity() * size_of::<Arc<ReaderPosition>>()
    }

    /// Panics if the fields of the log contradict each other.
    pub(super) fn check(&self) {
        assert!(self.tail <= self.head && self.head <= self.entities.len(), "the ends of a list of removals");
        assert!(self.needs_drop() || self.tail == self.head, "entries without values wait to be dropped");
        assert!(self.len() <= self.bound(), "a list of removals is too long");
        for reader in &self.readers {
            assert!(reader.get() <= self.end(), "a reader of removals is ahead");
        }
    }
}

impl Drop for RemovalLog {
    fn drop(&mut self) {
        let (first, count) = (self.tail, self.entities.len() - self.tail);
        self.entities.clear();
        (self.tail, self.head) = (0, 0);
        if let Some(values) = &mut self.values {
            // SAFETY: the entries had values, which are not listed any more.
            unsafe { values.drop_rows(first, count) }
        }
    }
}
