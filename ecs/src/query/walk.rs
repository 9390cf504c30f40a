//! Going through the rows that a query matches, block by block.
//!
//! A block is a run of rows of one table. Usually it is the whole table. If the query demands a sparse component, the
//! walk follows the smallest of the sparse storages that it demands, and a block is one row.

use super::cache::{CacheOf, Match};
use super::fetch::{Fetch, Rows};
use super::filter::FilterTerms;
use crate::cell::Cell;
use crate::entity::Entity;
use crate::sparse::SparseStorage;

/// Rows of one table, ready to be read.
pub(crate) struct Block<'w, D: Fetch, F: FilterTerms> {
    pub(crate) data: D::Ready<'w>,
    pub(crate) filter: F::Ready<'w>,
    pub(crate) rows: Rows,
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl<D: Fetch, F: FilterTerms> Clone for Block<'_, D, F> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Fetch, F: FilterTerms> Copy for Block<'_, D, F> {}

/// Whether rows of a matched table have to be asked one by one.
pub(crate) const fn per_row<D: Fetch, F: FilterTerms>() -> bool {
    D::PER_ROW || F::PER_ROW
}

impl<'w, D: Fetch, F: FilterTerms> Block<'w, D, F> {
    /// # Safety
    ///
    /// - The match belongs to the cache, which belongs to the cell's store and is up to date.
    #[inline]
    pub(crate) unsafe fn whole(cell: Cell<'w>, cache: &CacheOf<D, F>, found: &Match<D::Column>) -> Self {
        // SAFETY: the cache belongs to this store and was updated when the query began. The store has been borrowed ever
        // since, so no table was removed: the numbers are those of this epoch.
        let table = unsafe { cell.store().tables.get_unchecked(found.table) };
        // SAFETY: state and column are those of this store and table.
        let data = unsafe { D::ready(cell, &cache.data, found.column, table) };
        let filter = F::ready(cell, &cache.filter, table);
        Self { data, filter, rows: Rows::of(table), first: 0, end: table.len() }
    }

    /// Whether an entity of the table matches.
    #[inline]
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        (!D::PER_ROW || D::contains(self.data, entity)) && (!F::PER_ROW || F::contains(self.filter, entity))
    }

    /// Whether the row matches.
    ///
    /// # Safety
    ///
    /// - The row is one of the table.
    #[inline]
    pub(crate) unsafe fn contains_row(&self, row: usize) -> bool {
        // SAFETY: the caller's promise.
        !per_row::<D, F>() || self.contains(unsafe { self.rows.entity(row) })
    }
}

/// The blocks of a query, one after the other.
pub(crate) struct Walk<'w, 's, D: Fetch, F: FilterTerms> {
    cell: Cell<'w>,
    cache: &'s CacheOf<D, F>,
    /// The next match, or how far we are in the driver.
    at: usize,
    driver: Option<&'w SparseStorage>,
}

impl<D: Fetch, F: FilterTerms> Clone for Walk<'_, '_, D, F> {
    fn clone(&self) -> Self {
        Self { cell: self.cell, cache: self.cache, at: self.at, driver: self.driver }
    }
}

impl<'w, 's, D: Fetch, F: FilterTerms> Walk<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    #[inline]
    pub(crate) unsafe fn new(cell: Cell<'w>, cache: &'s CacheOf<D, F>) -> Self {
        let driver = if per_row::<D, F>() { driver(cell, &cache.drivers) } else { None };
        Self { cell, cache, at: 0, driver }
    }

    /// The next block. Rows of it may still have to be asked whether they match.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Block<'w, D, F>> {
        if per_row::<D, F>() && self.driver.is_some() {
            return self.next_driven();
        }
        loop {
            let found = self.cache.matches.get(self.at)?;
            self.at += 1;
            // SAFETY: the match is one of the cache, which belongs to the store, as promised to `new`.
            let block = unsafe { Block::whole(self.cell, self.cache, found) };
            if block.end != 0 {
                return Some(block);
            }
        }
    }

    fn next_driven(&mut self) -> Option<Block<'w, D, F>> {
        let driver = self.driver?;
        loop {
            let (index, next) = driver.next_index(self.at)?;
            self.at = next;
            let Some((_, location)) = self.cell.store().entities.at_index(index) else { continue };
            let Some(found) = self.cache.match_of(location.table) else { continue };
            // SAFETY: the match is one of the cache, which belongs to the store, as promised to `new`.
            let block = unsafe { Block::whole(self.cell, self.cache, &found) };
            let first = location.row as usize;
            return Some(Block { first, end: first + 1, ..block });
        }
    }
}

/// The smallest of the sparse storages that every match is in.
fn driver<'w>(cell: Cell<'w>, drivers: &[u32]) -> Option<&'w SparseStorage> {
    drivers.iter().filter_map(|&number| cell.store().sparse.get(number as usize)).min_by_key(|storage| storage.len())
}
