//! Moving one row to another table.
//!
//! Tests: tests/hazards/rows.rs, tests/hazards/destructors.rs

use core::ptr;

use super::Table;
use super::column_move::ColumnMove;
use super::ticks::MovingRows;
use crate::entity::{Entities, Entity, Location};
use crate::storage::column::{Column, copy_row, move_row};
use crate::storage::tick::{Tick, WriteStamp};
use crate::util::guard::for_each_despite_panics;

impl Table {
    /// Moves a row to the end of another table, and the last row of this table into the free row. This method moves the entities, and the
    /// small values that are kept or overwritten. [`Table::move_other_values`] moves the other values, and [`Table::move_ticks`] moves the
    /// ticks.
    ///
    /// The locations of the moved entity and of the last entity are updated before any value moves. The two may be the same entity.
    ///
    /// # Safety
    ///
    /// - `row` is the row of `entity` in this table. There is room in `to` for the new row, and `here` is the location of the new row.
    /// - The moves contain columns of this table with the size of their values, which is at most `SMALL`. The two columns of a move belong
    ///   to the same component. Values that are overwritten need not be dropped.
    /// - Before any other operation on the tables, the caller moves the values of the other columns of this table. It also writes a value
    ///   to each column of the new row that gets no moved value and does not have a value already.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn move_row_to(
        &mut self,
        (row, entity): (u32, Entity),
        (to, here): (&mut Self, Location),
        entities: &mut Entities,
        moves: &[ColumnMove],
        now: Tick,
    ) {
        let (last, target) = (self.entities.len() - 1, to.entities.len());
        // SAFETY: both rows exist in this table; forwarded: there is room in `to`. The entities are updated first: nothing has been
        // written since the caller read the location, so the compiler can keep it in registers.
        unsafe {
            entities.relocate_row(entity, here, self.last_entity(), row);
            self.take_entity_of(row as usize, last);
            to.commit_moved_row(entity);
        }
        to.stamp(now);
        let row = row as usize;
        for &step in moves {
            // SAFETY: the step names columns of these tables with small values of this size. `row` and `last` exist in this table;
            // `target` is reserved in `to`. There are no calls, so everything stays in registers.
            unsafe {
                let from = self.columns.get_unchecked(step.from as usize).data();
                if step.to == ColumnMove::OVERWRITTEN {
                    copy_row(from, last, (from, row), step.size());
                } else {
                    let into = to.columns.get_unchecked(step.to as usize).data();
                    move_row(from, [row, last], (into, target), step.size());
                }
            }
        }
    }

    /// Moves the values of a row that [`Table::move_row_to`] has not moved: large values, and lost values that are still needed. Lost
    /// values are moved past the end of this table; [`Table::drop_left`] drops them later. `target` is the row in the other table.
    ///
    /// # Safety
    ///
    /// - `move_row_to` has just been called for the row. The moves contain the other columns of this table. The two columns of a move
    ///   belong to the same component.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn move_other_values(&mut self, row: usize, to: &Self, target: usize, moves: &[ColumnMove]) {
        let last = self.entities.len();
        for step in moves {
            let size = step.size();
            // SAFETY: the step names columns of these tables with values of this size. `row` exists in this table or was the last
            // row, and `last` is the row that was just removed; `target` is within the capacity of `to`.
            unsafe {
                let from = self.columns.get_unchecked(step.from as usize).data();
                if step.is_kept() {
                    let into = to.columns.get_unchecked(step.to as usize).data();
                    let [place, filler] = [row, last].map(|row| from.add(row * size));
                    place.copy_to_nonoverlapping(into.add(target * size), size);
                    filler.copy_to(place, size);
                } else if row != last {
                    let [place, filler] = [row, last].map(|row| from.add(row * size));
                    match step.to {
                        ColumnMove::OVERWRITTEN => filler.copy_to_nonoverlapping(place, size),
                        _ => ptr::swap_nonoverlapping(place.as_ptr(), filler.as_ptr(), size),
                    }
                }
            }
        }
    }

    /// Drops the values that [`Table::move_other_values`] has moved past the end, except those of the columns in `kept`.
    ///
    /// # Safety
    ///
    /// - `move_other_values` was called with these moves, and there was no other operation on the table since then.
    #[inline]
    pub(crate) unsafe fn drop_left(&mut self, moves: &[ColumnMove], kept: &[u32]) {
        if self.needs_drop {
            let left = moves.iter().filter(|step| step.needs_drop).map(|step| step.from);
            // SAFETY: `move_other_values` left values of these columns in this row, which have no owner unless they are in `kept`.
            unsafe { self.drop_past_end(left.filter(|column| !kept.contains(column))) }
        }
    }

    /// Drops the values of these columns in the row past the end. If the drop of a value panics, the remaining values are still dropped.
    ///
    /// # Safety
    ///
    /// - The columns have values in that row, and these values have no owner.
    pub(crate) unsafe fn drop_past_end(&mut self, columns: impl Iterator<Item = u32>) {
        let row = self.entities.len();
        for_each_despite_panics(columns, |column| {
            // SAFETY: forwarded: the column has a value in this row without an owner; it is dropped once.
            unsafe { self.columns[column as usize].drop_rows(row, 1) }
        });
    }

    /// Moves the ticks of a row to the row `target` of another table, and the ticks of the last row to the free row.
    ///
    /// [`Table::move_row_to`] must have been called with these moves. Since then, the only permitted operations on the tables are writes of
    /// values.
    #[cold]
    #[inline(never)]
    pub(crate) fn move_ticks(&self, row: usize, to: &Self, target: usize, moves: [&[ColumnMove]; 2], now: WriteStamp) {
        let moving = MovingRows { first: row, count: 1, start: target, pairs: moves, replaced: &[], exchanged: false };
        self.carry_ticks(&moving, to, now);
        let last = self.entities.len();
        if row != last {
            let columns = moves.into_iter().flatten().map(|step| &self.columns[step.from as usize]);
            columns.filter_map(Column::tracking).for_each(|tracking| tracking.carry_row(last, row));
        }
    }
}
