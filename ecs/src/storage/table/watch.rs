//! The listeners to structural changes of tables, and the columns whose removals are recorded.
//!
//! Tests: tests/changes/removed/paths.rs

use super::{Table, Tables, drop_columns, interest_in, only_list};
use crate::component::transition::{ColumnSet, ListenerMask};
use crate::component::{ComponentId, Components};

impl Table {
    /// Returns the listeners to structural changes of the entities of the table.
    #[inline]
    pub(crate) fn interest(&self) -> ListenerMask {
        self.interest
    }

    /// Returns the columns whose removals are recorded, with their components. If the table has more than 63 columns, the result may
    /// contain other columns, too.
    #[inline]
    pub(crate) fn watched_columns(&self) -> impl Iterator<Item = (u32, ComponentId)> + Clone {
        self.watched.columns(self.components.len()).map(|at| (at as u32, self.components[at]))
    }

    /// Returns the number of the removal log of the only component whose removals are recorded; [`NO_LIST`] if the removals of no
    /// component, or of several components, are recorded.
    #[inline]
    pub(crate) fn only_list(&self) -> u32 {
        self.only_list
    }

    /// Returns whether rows can be removed by overwriting them: no value has to be dropped, and no column has ticks.
    #[inline(always)]
    pub(crate) fn can_overwrite_rows(&self) -> bool {
        !(self.needs_drop | self.tracked)
    }

    /// Returns whether values of some column have to be dropped.
    #[inline]
    pub(crate) fn needs_drop(&self) -> bool {
        self.needs_drop
    }

    /// Drops values past the last row: in the columns `columns`, or in all columns if it is `None`. Values of the columns in `kept` are not
    /// dropped.
    ///
    /// # Safety
    ///
    /// - These columns have `count` values from row `first` on, and `first` is at least the number of rows. The dropped values are not used
    ///   afterwards.
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
        // SAFETY: forwarded: these columns have `count` values from row `first` on, which are not used afterwards.
        unsafe { drop_columns(columns, first, count) }
    }
}

impl Tables {
    /// Sets the listeners `in_all` that apply to all tables, and recomputes the listeners of each table. `O(columns)`.
    pub(crate) fn update_interest(&mut self, components: &Components, in_all: ListenerMask) {
        self.in_all = in_all;
        for table in &mut self.tables {
            table.watched = ColumnSet::watched(&table.components, components);
            table.only_list = only_list(&table.components, components);
            table.interest = interest_in(&table.components, table.watched, components, in_all);
        }
    }
}
