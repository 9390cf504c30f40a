//! The storage of one sparse component: a set or a tag.
//!
//! Tests: tests/storage/sparse.rs

use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::NonNull;

use super::set::{RowPages, SparseSet};
use super::tag::TagSet;
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::storage::column::{Column, copy_item};
use crate::storage::tick::{Tick, WriteStamp};
use crate::storage::tracking::Renewal;
use crate::util::alloc_error::{AllocError, try_shrink};

/// The values of one component with sparse storage.
pub enum SparseStorage {
    /// Values in a column.
    Set(SparseSet),
    /// Zero-sized values: one bit per entity.
    Tag(TagSet),
}

impl SparseStorage {
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        let column = Column::new(info);
        match info.layout().size() {
            0 => Self::Tag(TagSet { words: Vec::new(), len: 0, column, retired: false }),
            _ => Self::Set(SparseSet {
                pages: RowPages::default(),
                entities: Vec::new(),
                column,
                room: 0,
                retired: false,
            }),
        }
    }

    /// Returns the number of entities that have a value.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(tag) => tag.len,
        }
    }

    /// Returns whether the entity with this index has a value.
    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        match self {
            Self::Set(set) => set.row(index).is_some(),
            Self::Tag(tag) => tag.contains(index),
        }
    }

    /// Returns the address of the value of the entity with this index; `None` if it has no value.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<NonNull<u8>> {
        match self {
            // SAFETY: rows of the set are within the column's capacity.
            Self::Set(set) => set.row(index).map(|row| unsafe { set.column.get(row) }),
            Self::Tag(tag) => tag.contains(index).then(|| tag.column.data()),
        }
    }

    /// Returns the column of the values, with the ticks.
    #[inline]
    pub(crate) fn column(&self) -> &Column {
        match self {
            Self::Set(set) => &set.column,
            Self::Tag(tag) => &tag.column,
        }
    }

    /// Returns the row past the last value. For a tag it is 0, since all zero-sized values share one address.
    #[inline]
    fn end(&self) -> usize {
        match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(_) => 0,
        }
    }

    /// Returns the column, and whether there is a retired value.
    #[inline]
    fn column_mut(&mut self) -> (&mut Column, &mut bool) {
        match self {
            Self::Set(set) => (&mut set.column, &mut set.retired),
            Self::Tag(tag) => (&mut tag.column, &mut tag.retired),
        }
    }

    /// Returns the row of the ticks of an entity in the column. The entity must have a value.
    #[inline]
    pub(crate) fn tick_row(&self, index: u32) -> Option<usize> {
        match self {
            Self::Set(set) => set.row(index),
            Self::Tag(_) => Some(index as usize),
        }
    }

    /// Returns the index of the entity whose ticks are in this row; `None` if the entity has no value.
    pub(crate) fn entity_of_ticks(&self, row: usize) -> Option<u32> {
        match self {
            Self::Set(set) => set.entities.get(row).map(|entity| entity.index()),
            Self::Tag(tag) => Some(row as u32).filter(|&index| tag.contains(index)),
        }
    }

    /// Begins to track ticks.
    ///
    /// # Errors
    ///
    /// If the allocation fails; nothing is changed.
    pub(crate) fn track(&mut self, now: Tick) -> Result<(), AllocError> {
        let (rows, visited) = (self.places(), self.column().visited());
        self.column_mut().0.track(rows, visited, now)
    }

    /// Stops tracking and discards the ticks.
    pub(crate) fn forget_ticks(&mut self) {
        self.column_mut().0.forget_ticks();
    }

    /// Adds an entity if it has no value. Returns the address of the value, and whether the entity already had a value. Records the change
    /// in the column and its ticks.
    ///
    /// # Safety
    ///
    /// - If the entity has no value here, room has been reserved for its index.
    /// - The caller writes the value before anything else happens to the storage.
    #[inline]
    pub(crate) unsafe fn place(&mut self, entity: Entity, now: WriteStamp) -> (NonNull<u8>, bool) {
        match self.get(entity.index()) {
            Some(address) => {
                let column = self.column();
                column.stamp(now.tick);
                if column.tracking().is_some() {
                    self.note_replaced(entity, now);
                }
                (address, true)
            }
            // SAFETY: the entity has no value; forwarded: room has been reserved, and the caller writes the value.
            None => (unsafe { self.insert(entity, now) }, false),
        }
    }

    /// Does the same as [`SparseStorage::place`] if the entity has no value, there is room, and the column has no ticks. Otherwise does
    /// nothing and returns `None`.
    ///
    /// # Safety
    ///
    /// - The values are of type `C`. The caller writes the value before anything else happens to the storage.
    #[inline(always)]
    pub(crate) unsafe fn try_add_untracked<C>(&mut self, entity: Entity, now: Tick) -> Option<NonNull<C>> {
        match self {
            // SAFETY: forwarded: the values are of type `C`, and the caller writes the value; they are not zero-sized.
            Self::Set(set) if const { size_of::<C>() != 0 } => unsafe { set.try_add_untracked(entity, now) },
            Self::Tag(tag) if const { size_of::<C>() == 0 } => {
                let (word, bit) = (entity.index() as usize / 64, 1 << (entity.index() % 64));
                let word = tag.words.get_mut(word).filter(|word| **word & bit == 0)?;
                if tag.column.tracking().is_some() {
                    return None;
                }
                *word |= bit;
                tag.len += 1;
                tag.column.stamp(now);
                Some(tag.column.data().cast())
            }
            _ => None,
        }
    }

    /// If the entity has a value and the column has no ticks, removes the value and returns true. Otherwise does nothing and returns false.
    ///
    /// # Safety
    ///
    /// - The values are of type `C` and need not be dropped.
    #[inline(always)]
    pub(crate) unsafe fn try_remove_untracked<C>(&mut self, entity: Entity) -> bool {
        match self {
            // SAFETY: forwarded: the values are of type `C` and need no drop; they are not zero-sized.
            Self::Set(set) if const { size_of::<C>() != 0 } => unsafe { set.try_remove_untracked::<C>(entity) },
            Self::Tag(tag) if const { size_of::<C>() == 0 } => {
                let (word, bit) = (entity.index() as usize / 64, 1 << (entity.index() % 64));
                let Some(word) = tag.words.get_mut(word).filter(|word| **word & bit != 0) else { return false };
                if tag.column.tracking().is_some() {
                    return false;
                }
                *word &= !bit;
                tag.len -= 1;
                true
            }
            _ => false,
        }
    }

    /// Adds an entity to a tag, or removes it. A tag is a component without size and destructor; for other components this does nothing.
    /// There must be room for the entity.
    #[inline]
    pub(crate) fn set_bit(&mut self, entity: Entity, is_there: bool, now: WriteStamp) {
        match self {
            Self::Tag(tag) if tag.column.drop_fn().is_none() => {
                if tag.contains(entity.index()) == is_there {
                    return;
                }
                if is_there {
                    tag.column.stamp(now.tick);
                    if let Some(tracking) = tag.column.tracking() {
                        tracking.add_range(entity.index() as usize, 1, now);
                    }
                }
                tag.words[entity.index() as usize / 64] ^= 1 << (entity.index() % 64);
                tag.len = tag.len.wrapping_add_signed(if is_there { 1 } else { -1 });
            }
            _ => {}
        }
    }

    /// Records that the value of an entity is replaced.
    #[cold]
    #[inline(never)]
    pub(super) fn note_replaced(&self, entity: Entity, now: WriteStamp) {
        if let Some((tracking, row)) = self.column().tracking().zip(self.tick_row(entity.index())) {
            tracking.mark_range(row, 1, now);
        }
    }

    /// Records that an entity is about to get a value.
    #[cold]
    #[inline(never)]
    pub(super) fn note_new(&self, entity: Entity, now: WriteStamp) {
        let row = match self {
            Self::Set(set) => set.entities.len(),
            Self::Tag(_) => entity.index() as usize,
        };
        if let Some(tracking) = self.column().tracking() {
            tracking.add_range(row, 1, now);
        }
    }

    /// Records that an entity has a new value that counts as added, although the entity had a value before.
    pub(crate) fn note_added(&self, entity: Entity, now: WriteStamp) {
        if let Some((tracking, row)) = self.column().tracking().zip(self.tick_row(entity.index())) {
            tracking.add_range(row, 1, now);
        }
    }

    /// If the entity has a value, makes its earlier changes count as made now: those that `renewal` selects.
    pub(crate) fn renew(&self, index: u32, renewal: Renewal, now: Tick) {
        if let Some(tracking) = self.column().tracking()
            && let Some(row) = self.tick_row(index).filter(|_| self.contains(index))
        {
            tracking.renew(row, renewal, tracking.last_look(), now);
        }
    }

    /// Makes room for one more value.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Values are unchanged.
    #[inline]
    pub(crate) fn reserve(&mut self, index: u32) -> Result<(), AllocError> {
        match self {
            Self::Set(set) => set.reserve(index),
            Self::Tag(tag) => tag.reserve(index),
        }
    }

    /// Returns whether there is room for one more value, so that [`SparseStorage::reserve`] would do nothing. The values must be of type
    /// `C`.
    #[inline(always)]
    pub(crate) fn has_room<C>(&self, index: u32) -> bool {
        match self {
            Self::Set(set) => size_of::<C>() != 0 && set.has_room(index),
            Self::Tag(tag) => size_of::<C>() == 0 && (index as usize / 64) < tag.words.len(),
        }
    }

    /// Makes room for the values of the entities with these indexes.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Values are unchanged.
    pub(crate) fn reserve_many(
        &mut self,
        additional: usize,
        mut indexes: impl Iterator<Item = u32> + Clone,
    ) -> Result<(), AllocError> {
        match self {
            Self::Set(set) => set.reserve_many(additional, indexes),
            Self::Tag(tag) => indexes.try_for_each(|index| tag.reserve(index)),
        }
    }

    /// Adds an entity that has no value yet, and returns the address for its value.
    ///
    /// # Safety
    ///
    /// - The entity has no value here, and room has been reserved for its index.
    /// - The caller writes the value before anything else happens to the storage.
    #[inline]
    pub(crate) unsafe fn insert(&mut self, entity: Entity, now: WriteStamp) -> NonNull<u8> {
        debug_assert!(!self.contains(entity.index()));
        let column = self.column();
        column.stamp(now.tick);
        if column.tracking().is_some() {
            self.note_new(entity, now);
        }
        match self {
            Self::Set(set) => {
                let row = set.entities.len();
                set.entities.push(entity);
                if let Some(spot) = set.pages.get_mut(entity.index()) {
                    *spot = row as u32;
                }
                debug_assert!(row < set.column.capacity());
                // SAFETY: room has been reserved, so the row is within the capacity.
                unsafe { set.column.get(row) }
            }
            Self::Tag(tag) => {
                tag.words[entity.index() as usize / 64] |= 1 << (entity.index() % 64);
                tag.len += 1;
                tag.column.data()
            }
        }
    }

    /// Returns the address past the last value. New values are written there contiguously, before [`add_written`](Self::add_written) adds
    /// them.
    pub(crate) fn behind(&self) -> NonNull<u8> {
        // SAFETY: the number of values is at most the capacity.
        unsafe { self.column().get(self.end()) }
    }

    /// Drops the first `count` values that were written but not added.
    ///
    /// # Safety
    ///
    /// - `count` values have been written past the last value.
    pub(crate) unsafe fn drop_past_end(&mut self, count: usize) {
        let end = self.end();
        // SAFETY: forwarded: there are `count` values from row `end` on.
        unsafe { self.column_mut().0.drop_rows(end, count) }
    }

    /// Adds entities whose values have already been written.
    ///
    /// # Safety
    ///
    /// - The entities differ, and none has a value here. Room has been reserved for their indexes.
    /// - Their values have been written past the last value, in this order.
    pub(crate) unsafe fn add_written(&mut self, entities: &[Entity], now: WriteStamp) {
        self.column().stamp(now.tick);
        match self {
            Self::Set(set) => {
                if let Some(tracking) = set.column.tracking() {
                    tracking.add_range(set.entities.len(), entities.len(), now);
                }
                set.add_all(entities);
            }
            Self::Tag(tag) => {
                for entity in entities {
                    if let Some(tracking) = tag.column.tracking() {
                        tracking.add_range(entity.index() as usize, 1, now);
                    }
                    tag.words[entity.index() as usize / 64] |= 1 << (entity.index() % 64);
                }
                tag.len += entities.len();
            }
        }
    }

    /// Removes and drops the values of these entities. Entities may lack a value.
    ///
    /// If the `Drop` of a value panics, the other values are still dropped, and all values are removed.
    pub(crate) fn remove_all(&mut self, entities: &[Entity]) {
        match self {
            Self::Set(set) => set.remove_all(entities),
            Self::Tag(tag) => {
                let count = tag.remove_all(entities);
                // SAFETY: `count` zero-sized values have been removed and not dropped.
                unsafe { tag.column.drop_rows(0, count) }
            }
        }
    }

    /// Retires the value of an entity, if it has one: the value is removed and moved past the last value. Returns its address, which is
    /// valid until the next change of the storage. The caller either moves the value out and calls [`SparseStorage::forget_retired`], or
    /// calls [`SparseStorage::drop_retired`].
    pub(crate) fn retire(&mut self, entity: Entity) -> Option<NonNull<u8>> {
        match self {
            Self::Set(set) => set.retire(entity.index()),
            Self::Tag(tag) => {
                let index = entity.index();
                if !tag.contains(index) {
                    return None;
                }
                tag.words[index as usize / 64] &= !(1 << (index % 64));
                tag.len -= 1;
                tag.retired = true;
                Some(tag.column.data())
            }
        }
    }

    /// Returns the address past the end for a value that has to be dropped. The address is valid until the next change of the storage. The
    /// caller writes the value there and then calls [`SparseStorage::drop_retired`].
    ///
    /// # Safety
    ///
    /// - There is room for one more value.
    pub(crate) unsafe fn retire_place(&mut self) -> NonNull<u8> {
        let end = self.end();
        let (column, retired) = self.column_mut();
        *retired = true;
        // SAFETY: forwarded: there is room for one more value.
        unsafe { column.get(end) }
    }

    /// Moves the value at an address past the end, where it is retired. The caller then writes another value to the address.
    ///
    /// # Safety
    ///
    /// - `value` is the address of a value of this storage, and there is room for one more value.
    pub(crate) unsafe fn retire_copy(&mut self, value: NonNull<u8>) {
        let size = self.column().item_size();
        // SAFETY: forwarded: `value` is the address of a value, and there is room for one more. The target is past the end, so it
        // does not overlap the value, or the size is 0.
        unsafe { copy_item(value.as_ptr(), self.retire_place().as_ptr(), size) }
    }

    /// Returns the address of the retired value, if there is one.
    pub(crate) fn retired(&self) -> Option<NonNull<u8>> {
        let (Self::Set(SparseSet { retired, .. }) | Self::Tag(TagSet { retired, .. })) = self;
        retired.then(|| self.behind())
    }

    /// Removes the value of an entity, if it has one. If values need to be dropped, the caller must then call
    /// [`SparseStorage::drop_retired`].
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) {
        match self {
            Self::Set(set) if set.column.drop_fn().is_none() => set.remove(entity.index()),
            _ => drop(self.retire(entity)),
        }
    }

    /// Removes the value of an entity, if it has one, and drops it.
    pub(crate) fn discard(&mut self, entity: Entity) {
        self.remove(entity);
        self.drop_retired();
    }

    /// Removes the values of these entities. Entities may lack a value. The caller ensures that values need not be dropped.
    #[inline]
    pub(crate) fn remove_these(&mut self, entities: &[Entity]) {
        match self {
            Self::Set(set) if set.column.drop_fn().is_none() && set.column.tracking().is_none() => {
                // SAFETY: the match guard checks both conditions: values need no drop, and the column has no ticks.
                unsafe { set.remove_these(entities) }
            }
            _ => entities.iter().for_each(|&entity| self.remove(entity)),
        }
    }

    /// Records that there is no retired value, for a caller that has moved it out.
    pub(crate) fn forget_retired(&mut self) {
        *self.column_mut().1 = false;
    }

    /// Drops the retired value, if there is one.
    #[inline]
    pub(crate) fn drop_retired(&mut self) {
        let end = self.end();
        let (column, retired) = self.column_mut();
        if replace(retired, false) {
            // SAFETY: `retire` left a value in this row that has no owner.
            unsafe { column.drop_rows(end, 1) }
        }
    }

    /// Removes and drops all values.
    pub(crate) fn clear(&mut self) {
        let count = self.len();
        self.forget_all();
        // SAFETY: there were `count` values, and the storage has no entities any more.
        unsafe { self.column_mut().0.drop_rows(0, count) }
    }

    /// Removes all values without dropping them, for a caller that has moved them out.
    pub(crate) fn forget_all(&mut self) {
        match self {
            Self::Set(set) => {
                set.pages.clear();
                set.entities.clear();
            }
            Self::Tag(tag) => {
                tag.words.clear();
                tag.len = 0;
            }
        }
    }

    /// Releases unused memory. `O(pages + words)`, plus at most a copy of the values.
    pub(crate) fn shrink_to_fit(&mut self) {
        match self {
            Self::Set(set) => set.shrink_to_fit(),
            Self::Tag(tag) => {
                let used = tag.words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
                tag.words.truncate(used);
                try_shrink(&mut tag.words);
                // SAFETY: zero-sized values need no memory; this only releases ticks.
                unsafe { tag.column.shrink_to(used * 64) }
            }
        }
    }

    /// Returns the index of the next entity with a value at position `at` or later, and the position to continue at.
    ///
    /// A loop starts at position 0. It takes `O(values)` for sets, and `O(words + values)` for tags.
    #[inline]
    pub(crate) fn next_index(&self, at: usize) -> Option<(u32, usize)> {
        match self {
            Self::Set(set) => set.entities.get(at).map(|entity| (entity.index(), at + 1)),
            Self::Tag(tag) => tag.next_index(at),
        }
    }

    /// Returns the entities of a set in the order of their values; for a tag, one bit per entity index instead.
    pub(crate) fn members(&self) -> (&[Entity], &[u64]) {
        match self {
            Self::Set(set) => (&set.entities, &[]),
            Self::Tag(tag) => (&[], &tag.words),
        }
    }

    /// Writes the indexes of the next entities from position `at` on to the beginning of `some`, in the order of
    /// [`next_index`](Self::next_index). Advances `at` past these entities, and returns their number; it is 0 at the end.
    pub(crate) fn next_indexes(&self, at: &mut usize, some: &mut [u32; 64]) -> usize {
        let (entities, words) = self.members();
        let left = entities.get(*at..).unwrap_or(&[]);
        let mut count = left.len().min(some.len());
        some.iter_mut().zip(left).for_each(|(index, entity)| *index = entity.index());
        *at += count;
        while let Some(word) = words.get(*at / 64) {
            let mut left = word & (u64::MAX << (*at % 64));
            if left == u64::MAX && count == 0 {
                (*at as u32..).zip(some.iter_mut()).for_each(|(at, index)| *index = at);
                *at += 64;
                return 64;
            }
            if count + left.count_ones() as usize > some.len() {
                break;
            }
            while left != 0 {
                some[count] = (*at / 64 * 64) as u32 + left.trailing_zeros();
                count += 1;
                left &= left - 1;
            }
            *at = (*at / 64 + 1) * 64;
        }
        count
    }

    /// Returns an upper bound of all positions.
    pub(crate) fn places(&self) -> usize {
        let (entities, words) = self.members();
        entities.len() + words.len() * 64
    }

    /// Returns the number of bytes that the storage has allocated, excluding memory owned by its values.
    pub(crate) fn allocated_bytes(&self) -> usize {
        match self {
            Self::Set(set) => {
                set.pages.allocated_bytes()
                    + set.entities.capacity() * size_of::<Entity>()
                    + set.column.allocated_bytes()
            }
            Self::Tag(tag) => tag.words.capacity() * size_of::<u64>() + tag.column.allocated_bytes(),
        }
    }
}

impl Drop for SparseStorage {
    fn drop(&mut self) {
        self.clear();
    }
}
