//! Operations on many rows: gathering them at the end, and moving them to another table or removing them.
//!
//! Tests: tests/storage/selections/explicit.rs

use alloc::vec::Vec;

use super::ticks::MovingRows;
use super::{ColumnMove, Table};
use crate::entity::Entity;
use crate::storage::column::Column;
use crate::storage::tick::WriteStamp;
use crate::util::alloc_error::AllocError;

/// Rows of a table, without duplicates and in ascending order.
pub(crate) struct AscendingRows(Vec<u32>);

impl AscendingRows {
    /// Sorts rows of a table with `len` rows, which may be in any order and contain duplicates. `None` if they are all rows of the
    /// table.
    pub(crate) fn of(mut rows: Vec<u32>, len: usize) -> Option<Self> {
        // The fold has no early exit, so that the compiler vectorises the loop.
        let is_ascending = rows.iter().zip(rows.iter().skip(1)).fold(true, |ascending, (a, b)| ascending & (a < b));
        if is_ascending {
            // The usual case: rows from a loop over a query.
        } else if rows.len() < len / 64 {
            rows.sort_unstable();
            rows.dedup();
        } else {
            // For many rows, setting a bit per row of the table is cheaper than sorting.
            let mut bits = alloc::vec![0u64; len.div_ceil(64)];
            rows.iter().for_each(|&row| bits[row as usize / 64] |= 1 << (row % 64));
            if bits.iter().map(|word| word.count_ones() as usize).sum::<usize>() == len {
                return None;
            }
            rows.clear();
            for (at, mut word) in bits.into_iter().enumerate() {
                while word != 0 {
                    rows.push(at as u32 * 64 + word.trailing_zeros());
                    word &= word - 1;
                }
            }
        }
        (rows.len() < len).then_some(Self(rows))
    }
}

impl_deref!(#[inline] [] AscendingRows => [u32], |this| *this.0);

impl Table {
    /// Moves rows to the end of the table, column by column, and returns the first of their new row numbers. Calls `moved` with
    /// each entity that has got another row.
    pub(crate) fn gather(&mut self, rows: &AscendingRows, mut moved: impl FnMut(Entity, u32)) -> usize {
        assert!(rows.last().is_none_or(|&last| (last as usize) < self.len()), "the rows are rows of the table");
        let first = self.entities.len() - rows.len();
        let (holes, behind) = rows.split_at(rows.partition_point(|&row| (row as usize) < first));
        let mut behind = behind.iter().copied().peekable();
        let stay = (first as u32..self.entities.len() as u32).filter(|&row| behind.next_if_eq(&row).is_none());
        let pairs: Vec<(u32, u32)> = holes.iter().copied().zip(stay).collect();
        for column in self.columns.iter_mut() {
            for &(hole, stays) in &pairs {
                // SAFETY: both rows exist in the table: none is greater than the last of the sorted rows, which exists. They
                // differ, since one is less than `first` and the other is not.
                unsafe { column.swap_rows(hole as usize, stays as usize) }
            }
        }
        self.note_departure();
        for &(hole, stays) in &pairs {
            self.entities.swap(hole as usize, stays as usize);
            moved(self.entities[hole as usize], hole);
            moved(self.entities[stays as usize], stays);
        }
        first
    }

    /// Makes room for `count` rows that come from another table at once. With `exchange`, all rows of the other table come and this
    /// one is empty, so the columns of the pairs will be swapped and need no room.
    pub(crate) fn reserve_for(&mut self, count: usize, pairs: &[ColumnMove], exchange: bool) -> Result<(), AllocError> {
        if !exchange {
            return self.reserve(count);
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            if !pairs.iter().any(|pair| pair.to as usize == at) {
                column.grow_to(count)?;
            }
        }
        Ok(())
    }

    /// Moves the rows from `first` on to another table: the columns of the pairs, and the entities. If all rows are moved and the
    /// other table is empty, the memory of the columns is swapped: `O(columns)`. Otherwise each column is copied. Values of columns
    /// without a pair stay in this table without an owner; `replaced` lists those that values in the other table replace. Returns
    /// the first row number in the other table.
    ///
    /// # Safety
    ///
    /// - `first` is at most the number of rows. The pairs are columns of these tables with the same item layout.
    /// - `reserve_for` has made room for the rows in `to`; columns of `to` without a pair have values for them.
    pub(crate) unsafe fn move_rows_to(
        &mut self,
        first: usize,
        to: &mut Self,
        pairs: &[ColumnMove],
        replaced: &[ColumnMove],
        exchange: bool,
        now: WriteStamp,
    ) -> usize {
        let start = to.entities.len();
        if exchange {
            debug_assert!(first == 0 && start == 0);
            for pair in pairs {
                core::mem::swap(&mut self.columns[pair.from as usize], &mut to.columns[pair.to as usize]);
            }
        }
        to.stamp(now.tick);
        self.note_departure();
        if self.is_tracked() || to.is_tracked() {
            let count = self.entities.len() - first;
            self.carry_ticks(
                &MovingRows { first, count, start, pairs: [pairs, &[]], replaced, exchanged: exchange },
                to,
                now,
            );
        }
        if exchange {
            core::mem::swap(&mut self.entities, &mut to.entities);
            self.count_capacity();
            to.count_capacity();
            return start;
        }
        // SAFETY: forwarded: the pairs have the same item layout, and there is room in `to`. The rows are removed from `self`
        // below.
        unsafe { self.copy_rows_to(first, to, pairs) };
        // Room was reserved, so this does not allocate.
        to.entities.extend_from_slice(&self.entities[first..]);
        self.entities.truncate(first);
        start
    }

    /// Copies the values of the rows from `first` on past the last row of another table.
    ///
    /// # Safety
    ///
    /// - `first` is at most the number of rows. The pairs are columns of these tables with the same item layout.
    /// - There is room for the rows. Only one of the tables owns the values afterwards.
    pub(crate) unsafe fn copy_rows_to(&self, first: usize, to: &Self, pairs: &[ColumnMove]) {
        let (count, start) = (self.entities.len() - first, to.entities.len());
        for pair in pairs {
            let from = &self.columns[pair.from as usize];
            let into = &to.columns[pair.to as usize];
            debug_assert!(from.item_size() == into.item_size());
            // SAFETY: the rows are within both columns, which have the same item layout; the tables differ, so the ranges do not
            // overlap.
            unsafe { into.get(start).copy_from_nonoverlapping(from.get(first), count * pair.size()) }
        }
    }

    /// Removes the rows from `first` on without dropping their values, which have no owner then.
    pub(crate) fn truncate(&mut self, first: usize) {
        self.note_departure();
        self.entities.truncate(first);
    }

    /// Drops values past the last row, in some columns or in all.
    ///
    /// # Safety
    ///
    /// - These columns have `count` values from row `first` on, which is at least the number of rows. The values are not used
    ///   afterwards.
    pub(crate) unsafe fn drop_rows_past_end(&mut self, columns: Option<&[u32]>, first: usize, count: usize) {
        // SAFETY: forwarded: these columns have `count` values from row `first` on, which are not used afterwards.
        unsafe { self.drop_rows_except(&[], columns, first, count) }
    }

    /// Computes the number of rows for which all columns have room.
    pub(super) fn count_capacity(&mut self) {
        let columns = self.columns.iter().map(Column::capacity);
        self.capacity = columns.fold(self.entities.capacity(), usize::min);
    }
}
