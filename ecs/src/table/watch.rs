//! Rows whose removal is recorded.

use super::{Table, Tables, drop_columns};
use crate::component::Components;

impl Table {
    /// Whether removals of some component of this table are recorded.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    /// Removes all rows. Their values belong to nobody.
    pub(crate) fn forget_rows(&mut self) {
        self.truncate(0);
    }

    /// Drops values behind the last row, in some columns or in all, except those of the columns that are kept.
    ///
    /// # Safety
    ///
    /// - These columns hold `count` values from row `first` on, which is at least the number of rows, and nobody uses
    ///   them afterwards.
    pub(crate) unsafe fn drop_rows_except(
        &mut self,
        kept: &[u32],
        columns: Option<&[u32]>,
        first: usize,
        count: usize,
    ) {
        debug_assert!(first >= self.entities.len());
        if !self.needs_drop {
            return;
        }
        let chosen = |at: &u32| !kept.contains(at) && columns.is_none_or(|columns| columns.contains(at));
        let columns = (0..).zip(self.columns.iter_mut()).filter(|(at, _)| chosen(at)).map(|(_, column)| column);
        // SAFETY: the caller's promise.
        unsafe { drop_columns(columns, first, count) }
    }
}

impl Tables {
    /// Looks again of which tables removals are recorded. `O(columns)`.
    pub(crate) fn update_watched(&mut self, components: &Components) {
        for table in &mut self.tables {
            table.watched = components.any_watched(&table.components);
        }
    }
}
