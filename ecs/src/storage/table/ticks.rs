//! The ticks of rows: when values were added and changed.
//!
//! A table records one tick for all of its rows: the last time when a row was added or a value was replaced. Columns of tracked components
//! also have ticks per row, which move together with the row.
//!
//! Tests: tests/changes/change_detection/structure.rs

use alloc::vec::Vec;

use super::{ColumnMove, Table};
use crate::component::ComponentId;
use crate::storage::column::Column;
use crate::storage::tick::{Tick, WriteStamp};
use crate::storage::tracking::Renewal;
use crate::util::alloc_error::AllocError;

/// Describes rows that move to another table. Columns of the other table that are neither in `pairs` nor in `replaced` have new values.
pub(super) struct MovingRows<'a> {
    pub(super) first: usize,
    pub(super) count: usize,
    /// The number of the first row in the other table.
    pub(super) start: usize,
    /// The moves of the columns. Values that are kept move with the row.
    pub(super) pairs: [&'a [ColumnMove]; 2],
    /// The columns whose values are replaced by new values.
    pub(super) replaced: &'a [ColumnMove],
    /// Whether the tables have swapped the columns of the pairs, including their ticks.
    pub(super) exchanged: bool,
}

impl Table {
    /// Returns whether any column has ticks.
    #[inline]
    pub(crate) fn is_tracked(&self) -> bool {
        self.tracked
    }

    /// Records that a row was added or got new values.
    #[inline]
    pub(crate) fn stamp(&self, now: Tick) {
        self.stamped.set(now);
    }

    /// Records that rows have new values in all columns.
    #[cold]
    #[inline(never)]
    pub(super) fn note_new_rows(&self, first: usize, count: usize, now: WriteStamp) {
        for tracking in self.columns.iter().filter_map(Column::tracking) {
            tracking.add_range(first, count, now);
        }
    }

    /// Records that the value of a column in a row has been replaced.
    pub(crate) fn note_replaced(&self, column: usize, row: usize, now: WriteStamp) {
        if let Some(tracking) = self.columns[column].tracking() {
            tracking.mark_range(row, 1, now);
        }
    }

    /// Records that a column has a new value in a row.
    pub(crate) fn note_added(&self, column: usize, row: usize, now: WriteStamp) {
        if let Some(tracking) = self.columns[column].tracking() {
            tracking.add_range(row, 1, now);
        }
    }

    /// Moves the ticks of rows to the table to which their values move.
    pub(super) fn carry_ticks(&self, moving: &MovingRows<'_>, to: &Self, now: WriteStamp) {
        let MovingRows { first, count, start, .. } = *moving;
        for (at, column) in to.columns.iter().enumerate() {
            let Some(tracking) = column.tracking() else { continue };
            let goes_here = |pair: &&ColumnMove| pair.to as usize == at;
            let from = |pair: &ColumnMove| self.columns[pair.from as usize].tracking();
            if let Some(pair) = moving.pairs.into_iter().flatten().find(goes_here) {
                if let Some(old) = from(pair).filter(|_| !moving.exchanged) {
                    tracking.visit(now.tick);
                    if start == 0 {
                        tracking.begin_after(old);
                    }
                    (0..count).for_each(|nth| tracking.carry_from(old, first + nth, start + nth, now.tick));
                }
                continue;
            }
            tracking.add_range(start, count, now);
            if let Some(old) = moving.replaced.iter().find(goes_here).and_then(from) {
                if start == 0 {
                    tracking.begin_after(old);
                }
                (0..count).for_each(|nth| tracking.set_added(start + nth, old.get(first + nth).added, now.tick));
            }
        }
        if !(self.disabling.is_empty() && to.disabling.is_empty()) {
            self.renew_changes(moving, to, now.tick);
        }
    }

    /// Returns which changes of a row count as made now if the row moves to the table `to`. There are such changes if the row becomes
    /// disabled or stops being disabled by the move. The row must still be in this table.
    pub(crate) fn renewal(&self, row: usize, to: &Self) -> Renewal {
        let ended = self.disabling.iter().filter(|&&column| !to.contains(self.components[column as usize]));
        let begins = ended.filter_map(|&column| Some(self.columns[column as usize].tracking()?.get(row).added));
        // No row was added to this table after this tick, so it serves as the current tick for ages.
        let now = self.stamped.get();
        let since = begins.max_by_key(|begin| begin.age(now));
        let begins = to.disabling.iter().any(|&column| !self.contains(to.components[column as usize]));
        Renewal { since, begins }
    }

    /// Makes changes of rows that move to another table count as made now: see [`Table::renewal`]. The ticks of the rows must already be in
    /// the other table.
    #[cold]
    fn renew_changes(&self, moving: &MovingRows<'_>, to: &Self, now: Tick) {
        let MovingRows { first, count, start, .. } = *moving;
        let renewals: Vec<Renewal> = (first..first + count).map(|row| self.renewal(row, to)).collect();
        let kept = moving.pairs.into_iter().flatten().filter(|pair| pair.is_kept());
        // Columns that were swapped have kept the tick of the last consumer.
        let kept = kept.map(|pair| (pair, moving.exchanged));
        // A replaced value keeps the tick of its addition. Its column is not swapped.
        let replaced = moving.replaced.iter().map(|pair| (pair, false));
        for (pair, is_swapped) in kept.chain(replaced) {
            let Some(tracking) = to.columns[pair.to as usize].tracking() else { continue };
            let old = self.columns[pair.from as usize].tracking().filter(|_| !is_swapped);
            let seen = old.unwrap_or(tracking).last_look();
            renewals.iter().zip(start..).for_each(|(renewal, row)| tracking.renew(row, *renewal, seen, now));
        }
    }

    /// Begins to track the ticks of a component.
    ///
    /// # Errors
    ///
    /// If the allocation fails; nothing is changed.
    pub(crate) fn track(&mut self, id: ComponentId, now: Tick) -> Result<(), AllocError> {
        if let Some(at) = self.column_index(id) {
            let (rows, latest) = (self.entities.len(), self.stamped.get());
            self.columns[at].track(rows, latest, now)?;
            self.tracked = true;
            self.count_capacity();
        }
        Ok(())
    }

    /// Stops tracking the ticks of a component.
    pub(crate) fn forget_ticks(&mut self, id: ComponentId) {
        if let Some(at) = self.column_index(id) {
            self.columns[at].forget_ticks();
            self.tracked = self.columns.iter().any(|column| column.tracking().is_some());
            self.count_capacity();
        }
    }

    /// Clamps ticks that are older than the oldest distinguishable age.
    pub(crate) fn clamp_ticks(&mut self, now: Tick) {
        self.stamped.clamp(now);
        self.columns.iter().for_each(|column| column.clamp_ticks(now));
    }
}
