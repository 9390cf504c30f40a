//! One row on its way to another table.

use super::{ColumnPair, LightMove, Table};
use crate::column::{SMALL, copy_row, move_large, move_row, move_small};
use crate::entity::Entity;
use crate::tick::WriteStamp;

impl Table {
    /// Moves a row to another table and fills its place with the last one.
    ///
    /// The columns of `plan.copies` go to the row behind the last one of `to`; those of `plan.drops` end up behind the
    /// last row of this table, to be dropped by [`Table::drop_some_behind`]. The caller writes what is new in `to` and
    /// commits the row there, whose ticks are set, and stamps the table. Returns the entity of the last row, which lives in the row
    /// now, unless that was the last one.
    ///
    /// # Safety
    ///
    /// - `row` is a row of this table, and room for one has been reserved in `to`.
    /// - `copies` and `drops` name each column of this table exactly once, and `copies` pair columns of one component.
    #[inline(always)]
    pub(crate) unsafe fn move_row_to(
        &mut self,
        row: usize,
        to: &mut Self,
        copies: &[ColumnPair],
        drops: &[u32],
        now: WriteStamp,
    ) -> Entity {
        let last = self.entities.len() - 1;
        let target = to.entities.len();
        if self.is_tracked() | to.is_tracked() {
            self.move_ticks(row, to, target, copies, now);
        }
        // The pairs stand in the order of their sizes. No function is called for small ones.
        for pair in copies {
            let size = pair.size;
            if size > SMALL {
                // SAFETY: the caller's promise.
                unsafe { self.move_large_values(row, to, copies) };
                break;
            }
            // SAFETY: the pair names columns of these tables with one item layout. `row` and `last` are rows of this
            // table; `target` is reserved in `to`. The value of `row` is moved out first and then replaced by that of
            // `last` unless they are the same.
            unsafe {
                let from = self.columns.get_unchecked(pair.from as usize);
                let into = to.columns.get_unchecked(pair.to as usize);
                debug_assert!(from.item() == into.item() && from.item().size() == size);
                let start = from.data().as_ptr();
                let new = into.data().as_ptr().add(target * size);
                move_small(start.add(row * size), new, start.add(last * size), size);
            }
        }
        if row != last && !drops.is_empty() {
            // SAFETY: both are rows of this table and differ; the drops name columns of it.
            unsafe { self.put_some_behind(row, last, drops) }
        }
        // SAFETY: both are rows of this table.
        unsafe { self.take_entity_of(row, last) }
    }

    /// [`Table::move_row_to`] for tables that keep no ticks, where values are small. Those that go are overwritten, or stay where they
    /// were. The row is committed to its entity at once, before the caller writes what is new in it, and `books` gets the entity of
    /// the last row before any value is moved: what these take need not be kept meanwhile.
    ///
    /// # Safety
    ///
    /// - `row` is a row of this table, and there is room for one in `to`. `books` does not panic. The caller writes a value to each
    ///   column of the new row to which none is moved, before anything else happens to the table.
    /// - The moves name each column of this table exactly once, with the size of its values, and columns of one component. No value is
    ///   larger than `SMALL`, and dropping those that go nowhere does nothing. Neither table keeps ticks.
    #[inline(always)]
    pub(crate) unsafe fn move_light_row_to(
        &mut self,
        (row, entity): (usize, Entity),
        to: &mut Self,
        books: impl FnOnce(Entity),
        moves: &[LightMove],
    ) {
        debug_assert!(!self.is_tracked() && !to.is_tracked());
        let (last, target) = (self.entities.len() - 1, to.entities.len());
        // SAFETY: both are rows of this table; the rest is the caller's promise. The books come first: nothing has been written since
        // the caller found the entity, so what is known of them need not be read again.
        unsafe {
            books(self.last_entity());
            self.take_entity_of(row, last);
            to.commit_moved_row(entity);
        }
        for light in moves {
            // SAFETY: the move names columns of these tables with items of this size. `row` and `last` are rows of this table; `target`
            // is reserved in `to`.
            unsafe {
                let from = self.columns.get_unchecked(light.from as usize).data();
                match light.to {
                    LightMove::NOWHERE => copy_row(from, last, (from, row), light.size),
                    index => {
                        let into = to.columns.get_unchecked(index as usize).data();
                        move_row(from, [row, last], (into, target), light.size);
                    }
                }
            }
        }
    }

    /// The part of `move_row_to` for values that are larger than `SMALL`.
    ///
    /// # Safety
    ///
    /// - As for `move_row_to`.
    #[cold]
    #[inline(never)]
    unsafe fn move_large_values(&self, row: usize, to: &Self, copies: &[ColumnPair]) {
        let (last, target) = (self.entities.len() - 1, to.entities.len());
        for pair in copies.iter().filter(|pair| pair.size > SMALL) {
            // SAFETY: as in `move_row_to`.
            unsafe {
                let start = self.columns.get_unchecked(pair.from as usize).data().as_ptr();
                let new = to.columns.get_unchecked(pair.to as usize).data().as_ptr().add(target * pair.size);
                move_large(start.add(row * pair.size), new, start.add(last * pair.size), pair.size);
            }
        }
    }

    /// Brings the last value of some columns to a row, and the one of the row behind, where it can be dropped.
    ///
    /// # Safety
    ///
    /// - Both are rows of this table and differ; `last` is the last one. The drops name columns of it.
    #[inline(never)]
    unsafe fn put_some_behind(&mut self, row: usize, last: usize, drops: &[u32]) {
        let told = !self.interest.is_none();
        for &index in drops {
            // SAFETY: the caller's promise.
            let column = unsafe { self.columns.get_unchecked_mut(index as usize) };
            // SAFETY: as above.
            unsafe { if told { column.keep_behind(row, last) } else { column.put_behind(row, last) } }
        }
    }

    /// Drops the values of some columns behind the last row, except those that are kept.
    ///
    /// # Safety
    ///
    /// - [`Table::move_row_to`] was called with these `drops`, and nothing happened to the table since.
    #[inline]
    pub(crate) unsafe fn drop_some_behind(&mut self, drops: &[u32], kept: &[u32]) {
        if !self.needs_drop || drops.is_empty() {
            return;
        }
        let row = self.entities.len();
        // SAFETY: `move_row_to` left values of these columns in this row, which have no owner, or are kept.
        unsafe { self.drop_rows_except(kept, Some(drops), row, 1) }
    }
}
