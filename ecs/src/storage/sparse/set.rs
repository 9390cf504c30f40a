//! Sparse sets: values in a column, which are found by entity index through pages of rows.
//!
//! Tests: tests/storage/sparse.rs

use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::NonNull;

use crate::entity::{Entity, Pages};
use crate::storage::column::Column;
use crate::storage::tick::Tick;
use crate::util::alloc_error::{AllocError, try_reserve, try_shrink};

/// Entity indexes per page.
const PAGE: usize = 1024;
/// Page entry of an entity without a value.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The row of each entity.
pub(super) type RowPages = Pages<u32, PAGE>;

/// A sparse set: values in a column, which are found by entity index.
pub struct SparseSet {
    pub(super) pages: RowPages,
    pub(super) entities: Vec<Entity>,
    pub(super) column: Column,
    /// The number of values that fit in both the list of entities and the column.
    pub(super) room: usize,
    /// Whether there is a retired value, that is, a removed value past the end.
    pub(super) retired: bool,
}

impl SparseSet {
    /// Updates `room`. Must be called after memory was allocated or released.
    pub(super) fn note_room(&mut self) {
        self.room = self.entities.capacity().min(self.column.capacity());
    }

    /// Returns the entities that have a value, in the order of the values.
    #[inline]
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Returns the column with the values.
    #[inline]
    pub(crate) fn column(&self) -> &Column {
        &self.column
    }

    /// See [`SparseStorage::try_add_untracked`](super::SparseStorage::try_add_untracked).
    ///
    /// # Safety
    ///
    /// - The conditions of that function, and the values are not zero-sized.
    #[inline(always)]
    pub(super) unsafe fn try_add_untracked<C>(&mut self, entity: Entity, now: Tick) -> Option<NonNull<C>> {
        let row = self.entities.len();
        if row >= self.room || self.column.tracking().is_some() {
            return None;
        }
        debug_assert!(row < self.entities.capacity() && row < self.column.capacity());
        let spot = self.pages.get_mut(entity.index()).filter(|spot| **spot == NO_ROW)?;
        *spot = row as u32;
        self.column.stamp(now);
        // SAFETY: `row < room`, so there is room for the entity in the list and for the value in the column.
        unsafe {
            self.entities.as_mut_ptr().add(row).write(entity);
            self.entities.set_len(row + 1);
            Some(self.column.data().cast::<C>().add(row))
        }
    }

    /// See [`SparseStorage::try_remove_untracked`](super::SparseStorage::try_remove_untracked).
    ///
    /// # Safety
    ///
    /// - The conditions of that function, and the values are not zero-sized.
    #[inline(always)]
    pub(super) unsafe fn try_remove_untracked<C>(&mut self, entity: Entity) -> bool {
        if self.column.tracking().is_some() {
            return false;
        }
        let Some(spot) = self.pages.get_mut(entity.index()) else { return false };
        let row = replace(spot, NO_ROW) as usize;
        if row == NO_ROW as usize {
            return false;
        }
        let last = self.entities.len() - 1;
        // SAFETY: a page entry other than `NO_ROW` is a row of the set, so the set is not empty; entities need no drop.
        let moved = unsafe {
            self.entities.set_len(last);
            *self.entities.as_ptr().add(last)
        };
        if row != last {
            // SAFETY: both rows exist in the set and differ. The values have this type, and the overwritten one needs no drop.
            unsafe {
                *self.entities.as_mut_ptr().add(row) = moved;
                let values = self.column.data().cast::<C>();
                values.add(last).copy_to_nonoverlapping(values.add(row), 1);
            }
            if let Some(spot) = self.pages.get_mut(moved.index()) {
                *spot = row as u32;
            }
        }
        true
    }

    /// See [`SparseStorage::reserve_many`](super::SparseStorage::reserve_many).
    pub(super) fn reserve_many(
        &mut self,
        additional: usize,
        mut indexes: impl Iterator<Item = u32> + Clone,
    ) -> Result<(), AllocError> {
        self.reserve_values(additional)?;
        let bounds = |(least, most): (u32, u32), index: u32| (least.min(index), most.max(index));
        let (least, most) = indexes.clone().fold((u32::MAX, 0), bounds);
        // If the indexes cover most of the range between them, reserving all its pages wastes little memory.
        if least <= most && ((most - least) as usize) / 2 < additional {
            let mut pages = least / PAGE as u32..=most / PAGE as u32;
            return pages.try_for_each(|page| self.pages.reserve(page * PAGE as u32, NO_ROW));
        }
        // Consecutive indexes are often in one page, which is reserved once.
        let mut last = None;
        indexes.try_for_each(|index| {
            if last.replace(index as usize / PAGE) == Some(index as usize / PAGE) {
                return Ok(());
            }
            self.pages.reserve(index, NO_ROW)
        })
    }

    /// Returns the row of an entity; `None` if it has no value. Also compares the generation of the entity.
    #[inline]
    pub(crate) fn row_of(&self, entity: Entity) -> Option<usize> {
        self.row(entity.index()).filter(|&row| self.entities.get(row) == Some(&entity))
    }

    /// Returns the address of the value of an entity; `None` if it has no value. Also compares the generation of the entity.
    #[inline]
    pub(crate) fn find(&self, entity: Entity) -> Option<NonNull<u8>> {
        let row = self.row_of(entity)?;
        // SAFETY: rows of the set are within the column's capacity.
        Some(unsafe { self.column.get(row) })
    }

    /// Like [`find`](Self::find), optimised for the entity whose value was added last.
    #[inline]
    pub(crate) fn find_newest(&self, entity: Entity) -> Option<NonNull<u8>> {
        match self.entities.split_last() {
            // SAFETY: rows of the set are within the column's capacity.
            Some((&last, others)) if last == entity => Some(unsafe { self.column.get(others.len()) }),
            _ => self.find(entity),
        }
    }

    #[inline]
    pub(super) fn row(&self, index: u32) -> Option<usize> {
        let &row = self.pages.get(index)?;
        (row != NO_ROW).then_some(row as usize)
    }

    #[inline]
    pub(super) fn has_room(&self, index: u32) -> bool {
        self.entities.len() < self.room && self.pages.has_page(index)
    }

    #[inline]
    pub(super) fn reserve(&mut self, index: u32) -> Result<(), AllocError> {
        if self.has_room(index) { Ok(()) } else { self.make_room(index) }
    }

    #[cold]
    pub(super) fn make_room(&mut self, index: u32) -> Result<(), AllocError> {
        self.reserve_values(1)?;
        self.pages.reserve(index, NO_ROW)
    }

    pub(super) fn reserve_values(&mut self, additional: usize) -> Result<(), AllocError> {
        let needed = self.entities.len().saturating_add(additional);
        if self.column.capacity() < needed {
            let capacity = needed.max(self.column.capacity().saturating_mul(2)).max(4);
            self.column.grow_to(capacity)?;
        }
        let room = try_reserve(&mut self.entities, additional);
        self.note_room();
        room
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.pages.shrink_to_fit(|&row| row == NO_ROW);
        try_shrink(&mut self.entities);
        let rows = self.entities.len() + usize::from(self.retired);
        // SAFETY: the set has values in rows below `rows` only.
        unsafe { self.column.shrink_to(rows) }
        self.note_room();
    }

    /// Overwrites the value of an entity, if it has one, with the last value.
    #[inline]
    pub(super) fn remove(&mut self, index: u32) {
        let Some(row) = self.row(index) else { return };
        let last = self.entities.len() - 1;
        if row != last {
            // SAFETY: both rows exist in the set and differ.
            unsafe { self.column.put_past_end(row, last, false) }
        }
        self.forget_row(index, row);
    }

    /// See [`SparseStorage::remove_these`]. Entities that are consecutive both in the list and in the set are removed together.
    ///
    /// # Safety
    ///
    /// - Values need not be dropped, and the column has no ticks.
    pub(super) unsafe fn remove_these(&mut self, entities: &[Entity]) {
        let mut rest = entities;
        while let Some((&first, others)) = rest.split_first() {
            let Some(row) = self.row_of(first) else {
                rest = others;
                continue;
            };
            let count = self.entities[row..].iter().zip(rest).take_while(|(here, there)| here == there).count();
            let (gone, others) = rest.split_at(count);
            rest = others;
            let behind = self.entities.len() - row - count;
            let moved = count.min(behind);
            let from = self.entities.len() - moved;
            // SAFETY: the rows exist in the set, and those from `from` on come after the removed ones. Forwarded: values need no
            // drop, and the column has no ticks.
            unsafe { self.column.overwrite_rows(row, from, moved) }
            self.entities.copy_within(from.., row);
            self.entities.truncate(row + behind);
            self.pages.for_each_of(gone, |_, place| *place = NO_ROW);
            let mut rows = row as u32..;
            self.pages.for_each_of(&self.entities[row..row + moved], |_, place| {
                *place = rows.next().unwrap_or(NO_ROW);
            });
        }
    }

    /// Records that the entity with this index has no value any more, and that the last value has been moved into the row of the entity.
    #[inline]
    pub(super) fn forget_row(&mut self, index: u32, row: usize) {
        self.entities.swap_remove(row);
        if let Some(moved) = self.entities.get(row)
            && let Some(spot) = self.pages.get_mut(moved.index())
        {
            *spot = row as u32;
        }
        if let Some(spot) = self.pages.get_mut(index) {
            *spot = NO_ROW;
        }
    }

    pub(super) fn add_all(&mut self, entities: &[Entity]) {
        let mut rows = self.entities.len() as u32..;
        self.pages.for_each_of(entities, |_, place| *place = rows.next().unwrap_or(NO_ROW));
        self.entities.extend_from_slice(entities);
    }

    /// See [`SparseStorage::remove_all`].
    pub(super) fn remove_all(&mut self, entities: &[Entity]) {
        if entities == self.entities.as_slice() {
            self.pages.for_each_of(entities, |_, place| *place = NO_ROW);
            self.entities.clear();
            // SAFETY: these are all values of the set, whose list of entities is empty now.
            return unsafe { self.column.drop_rows(0, entities.len()) };
        }
        let mut rows = alloc::vec![NO_ROW; entities.len()];
        let mut count = 0;
        self.pages.for_each_of(entities, |_, place| {
            let row = replace(place, NO_ROW);
            rows[count] = row;
            count += usize::from(row != NO_ROW);
        });
        rows.truncate(count);
        let left = self.entities.len() - rows.len();
        if left != 0 {
            // The remaining values at the end fill the rows of removed ones.
            let mut holes = alloc::vec![0u64; self.entities.len().div_ceil(64)];
            rows.iter().for_each(|&row| holes[row as usize / 64] |= 1 << (row % 64));
            let is_hole = |row: usize| holes[row / 64] >> (row % 64) & 1 != 0;
            let mut stays = left..self.entities.len();
            for row in (0..left).filter(|&row| is_hole(row)) {
                let Some(last) = stays.by_ref().find(|&row| !is_hole(row)) else { break };
                // SAFETY: both rows exist in the set, and one is less than `left`, the other is not.
                unsafe { self.column.swap_rows(row, last) }
                self.entities[row] = self.entities[last];
                if let Some(spot) = self.pages.get_mut(self.entities[row].index()) {
                    *spot = row as u32;
                }
            }
        }
        self.entities.truncate(left);
        // SAFETY: the removed values are in the rows from `left` on, and the set does not contain these rows any more.
        unsafe { self.column.drop_rows(left, rows.len()) }
    }

    pub(super) fn retire(&mut self, index: u32) -> Option<NonNull<u8>> {
        let row = self.row(index)?;
        let last = self.entities.len() - 1;
        if row != last {
            // SAFETY: both rows exist in the set and differ.
            unsafe { self.column.swap_rows(row, last) }
        }
        self.forget_row(index, row);
        self.retired = true;
        // SAFETY: the row was in use, so it is within the capacity.
        Some(unsafe { self.column.get(last) })
    }
}
