//! Iteration over the blocks of a query.
//!
//! Tests: tests/queries/iteration.rs, tests/queries/packed.rs

use core::mem::MaybeUninit;
use core::slice;

use super::blocks::{Block, Driver, LED, Matched, per_row};
use super::cache::Match;
use super::fetch::Fetch;
use super::filter::FilterTerms;
use crate::entity::TableId;
use crate::storage::table::Table;

/// Iterates over the blocks of a query.
pub(crate) struct BlockIter<'w, 's, D: Fetch, F: FilterTerms> {
    pub(super) matched: Matched<'w, 's, D, F>,
    /// The remaining matches. Used if the iteration follows no driver. This is an iterator, because it stays in registers from
    /// table to table; a list would be loaded again for each table.
    matches: slice::Iter<'s, Match<D::Column>>,
    /// All tables of the store. This copy of the slice stays in registers, too.
    tables: &'w [Table],
    /// The position in the driver at which the iteration continues.
    at: usize,
    driver: Option<Driver<'w>>,
    /// Whether the driver yields rows one by one, and not as a block.
    is_led: bool,
}

impl<D: Fetch, F: FilterTerms> Clone for BlockIter<'_, '_, D, F> {
    fn clone(&self) -> Self {
        let Self { matched, tables, at, driver, is_led, .. } = *self;
        Self { matched, matches: self.matches.clone(), tables, at, driver, is_led }
    }
}

impl<'w, 's, D: Fetch, F: FilterTerms> BlockIter<'w, 's, D, F> {
    /// Creates an iterator over all blocks.
    #[inline]
    pub(crate) fn new(matched: Matched<'w, 's, D, F>) -> Self {
        let driver = matched.driver();
        let is_led = driver.is_some_and(|driver| matched.what_is_packed(&driver).is_none());
        let tables = matched.cell().store().structure.archetypes.tables.as_slice();
        Self { matched, matches: matched.cache().matches.iter(), tables, at: 0, driver, is_led }
    }

    /// Creates an exhausted iterator.
    #[inline]
    pub(crate) fn nothing(matched: Matched<'w, 's, D, F>) -> Self {
        Self { matched, matches: [].iter(), tables: &[], at: usize::MAX, driver: None, is_led: false }
    }

    /// Returns the number of rows in the remaining blocks. Only valid if the rows of the query need no check (`per_row` is false).
    pub(crate) fn rows_left(&self) -> usize {
        self.matches.as_slice().iter().filter_map(|found| self.tables.get(found.table.index())).map(Table::len).sum()
    }

    /// Returns the next block. The filter may still have to check its rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next(&mut self) -> Option<Block<'w, D, F>> {
        if per_row::<D, F>()
            && let Some(driver) = self.driver
        {
            return self.next_packed(&driver);
        }
        loop {
            let found = self.matches.next()?;
            let (cell, cache) = (self.matched.cell(), self.matched.cache());
            // SAFETY: the match is one of the cache, which belongs to the store and is up to date, as promised to `Matched::new`;
            // an iterator made by `nothing` has no matches.
            let block = unsafe { Block::of_tables(cell.anew(), self.tables, cache, found) };
            if block.end != 0 && block.has_any() {
                return Some(block);
            }
        }
    }

    /// Returns whether the iteration follows a sparse storage row by row.
    #[inline]
    pub(crate) fn is_led(&self) -> bool {
        per_row::<D, F>() && self.is_led
    }

    /// Returns the rows that the driver has yet to yield one by one. Returns `None` unless the iteration [is led](Self::is_led) by
    /// a driver.
    #[inline]
    pub(crate) fn led_one_by_one(&self) -> Option<DriverRows<'w>> {
        if self.is_led() { self.driver.map(|driver| DriverRows { driver, at: self.at }) } else { None }
    }

    /// Returns the next matching row of those that [`led_one_by_one`](Self::led_one_by_one) returns. Stores the table of this row
    /// in `table`, and the block of all rows of this table in `block`.
    ///
    /// # Safety
    ///
    /// - The driver yields rows one by one. The values that the filter reads may be read.
    /// - If `table` is not [`TableId::UNUSED`], `block` is initialized, and is a block of all rows of that table.
    #[inline]
    pub(crate) unsafe fn next_led(
        &mut self,
        table: &mut TableId,
        block: &mut MaybeUninit<Block<'w, D, F>>,
    ) -> Option<usize> {
        let driver = self.driver?;
        loop {
            // SAFETY: forwarded: `block` is initialized if `table` is set, and has all rows of that table.
            let row = unsafe { driver.next_row(self.matched, (&mut self.at, usize::MAX), table, block) }?;
            // SAFETY: `next_row` has initialized the block, and a live entity is in its row.
            if unsafe { block.assume_init_ref().contains_row(row) } {
                return Some(row);
            }
        }
    }

    /// Returns all rows of the sparse storage that the iteration follows, as one block. Later calls return `None`.
    fn next_packed(&mut self, driver: &Driver<'w>) -> Option<Block<'w, D, F>> {
        assert!(!self.is_led, "rows that a driver leads to one by one are not in blocks");
        if self.at != 0 {
            return None;
        }
        self.at = usize::MAX;
        // SAFETY: `self.matched.driver()` returned this driver.
        unsafe { self.matched.packed(driver) }.filter(|block| block.end != 0)
    }
}

/// The rows that a driver yields one by one, from a position in the driver on.
#[derive(Clone, Copy)]
pub(crate) struct DriverRows<'w> {
    driver: Driver<'w>,
    at: usize,
}

impl<'w> DriverRows<'w> {
    /// Calls `each` with each matching row. The arguments are a block of all rows of the table, and the number of the row.
    ///
    /// # Errors
    ///
    /// The first error that `each` returns. It ends the loop.
    #[inline(always)]
    pub(crate) fn for_each<D: Fetch, F: FilterTerms, E>(
        self,
        matched: Matched<'w, '_, D, F>,
        mut each: impl FnMut(&Block<'w, D, F>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { driver, mut at } = self;
        let entities = &matched.cell().store().structure.entities;
        // The table of the last row, and its block, which is kept here so that it is not copied for each row.
        let mut table = TableId::UNUSED;
        let mut block = None;
        let is_asked = !matched.holds_for_all();
        // `each` is called in only one place of the loop, so that it is inlined there.
        let mut some = [0; LED];
        loop {
            let count = driver.next_some(&mut at, &mut some);
            if count == 0 {
                return Ok(());
            }
            for &index in &some[..count] {
                let Some(location) = entities.location_at(index) else { continue };
                if table != location.table {
                    table = location.table;
                    block = matched.block_of(table);
                }
                let Some(block) = &block else { continue };
                let row = location.row as usize;
                // SAFETY: a live entity is in this row.
                if !is_asked || unsafe { block.contains_row(row) } {
                    each(block, row)?;
                }
            }
        }
    }
}

impl<'w> Driver<'w> {
    /// Returns the row of the next entity in a matched table, from position `at` on and before `end`. Advances `at` past this
    /// entity. Sets `table` to the entity's table, and `block` to all rows of this table.
    ///
    /// # Safety
    ///
    /// - If `table` is not [`TableId::UNUSED`], `block` is initialized, and is a block of all rows of that table.
    #[inline]
    pub(crate) unsafe fn next_row<D: Fetch, F: FilterTerms>(
        &self,
        matched: Matched<'w, '_, D, F>,
        (at, end): (&mut usize, usize),
        table: &mut TableId,
        block: &mut MaybeUninit<Block<'w, D, F>>,
    ) -> Option<usize> {
        loop {
            let (index, next) = self.next(*at).filter(|&(_, next)| next <= end)?;
            *at = next;
            let Some(location) = matched.cell().store().structure.entities.location_at(index) else { continue };
            if *table != location.table {
                let Some(whole) = matched.block_of(location.table) else { continue };
                block.write(whole);
                *table = location.table;
            }
            return Some(location.row as usize);
        }
    }
}
