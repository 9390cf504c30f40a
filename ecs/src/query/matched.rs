//! What a query has matched: a store and the cache that belongs to it.

use super::blocks::{Block, Driver, is_outside_tables, per_row};
use super::cache::CacheOf;
use super::fetch::{Fetch, Rows};
use super::filter::FilterTerms;
use crate::cell::StoreCell;
use crate::entity::{Entity, TableId};
use crate::sparse::{SparseSet, SparseStorage};

/// A store, and the cache of a query, which belongs to it and is up to date. It gives no access to values.
pub(crate) struct Matched<'w, 's, D: Fetch, F: FilterTerms> {
    pub(super) cell: StoreCell<'w>,
    pub(super) cache: &'s CacheOf<D, F>,
}

impl<D: Fetch, F: FilterTerms> Clone for Matched<'_, '_, D, F> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Fetch, F: FilterTerms> Copy for Matched<'_, '_, D, F> {}

impl<'w, 's, D: Fetch, F: FilterTerms> Matched<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    /// - The filter may read what it asks for, for `'w`.
    #[inline]
    pub(crate) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D, F>) -> Self {
        Self { cell, cache }
    }

    #[inline]
    pub(crate) fn cell(self) -> StoreCell<'w> {
        self.cell
    }

    #[inline]
    pub(crate) fn cache(self) -> &'s CacheOf<D, F> {
        self.cache
    }

    /// The same for a visit of tables that has been noted.
    #[inline]
    pub(crate) fn again(self) -> Self {
        Self { cell: self.cell.again(), ..self }
    }

    /// The same, of the terms that only read.
    #[inline]
    pub(crate) fn read_only(self) -> Matched<'w, 's, D::ReadOnly, F> {
        Matched { cell: self.cell, cache: self.cache }
    }

    /// All rows of a table, if it matches.
    #[inline(always)]
    pub(crate) fn block_of(self, table: TableId) -> Option<Block<'w, D, F>> {
        let found = self.cache.match_of(table)?;
        // SAFETY: the match is one of the cache, which belongs to the cell's store and is up to date, as promised to `new`.
        Some(unsafe { Block::whole(self.cell, self.cache, &found) })
    }

    /// All rows of each table that matches, one table after the other.
    pub(crate) fn blocks(self) -> impl Iterator<Item = Block<'w, D, F>> {
        self.cache.matches.iter().filter_map(move |found| self.block_of(found.table))
    }

    /// Whether an entity is alive and matches.
    pub(crate) fn contains(self, entity: Entity) -> bool {
        let Some(location) = self.cell.store().structure.entities.get(entity) else { return false };
        self.block_of(location.table).is_some_and(|block| block.contains(entity, location.row as usize))
    }

    /// The smallest of the sparse storages that every match is in; or a list of values of one.
    #[inline]
    pub(crate) fn driver(self) -> Option<Driver<'w>> {
        if !per_row::<D, F>() {
            return None;
        }
        if let Some((storage, logged)) = F::logged_sparse(self.cell, &self.cache.filter) {
            return Some(Driver { storage, logged: Some(logged) });
        }
        let sparse = &self.cell.store().structure.sparse;
        let storages = self.cache.drivers.iter().filter_map(|&number| sparse.get(number as usize));
        Some(Driver { storage: storages.min_by_key(|storage| storage.len())?, logged: None })
    }

    /// The values that the walk follows, one behind the other, if it does not matter in which tables their entities are.
    ///
    /// # Safety
    ///
    /// - [`driver`](Self::driver) returned the driver, for this query.
    pub(crate) unsafe fn packed(self, driver: &Driver<'w>) -> Option<Block<'w, D, F>> {
        let (storage, table) = self.what_is_packed(driver)?;
        let whole = self.block_of(table)?;
        // SAFETY: what the query reads is outside of tables; the rows are those of the storage.
        let data = unsafe { D::packed(whole.data, storage) };
        let all_packed = self.holds_for_all();
        Some(Block { data, rows: Rows::of_storage(storage), end: storage.entities().len(), all_packed, ..whole })
    }

    /// The set whose values are the rows of [`packed`](Self::packed), if there is one, and a table that matches.
    #[inline]
    pub(super) fn what_is_packed(self, driver: &Driver<'w>) -> Option<(&'w SparseSet, TableId)> {
        if !is_outside_tables::<D, F>() || driver.logged.is_some() {
            return None;
        }
        let SparseStorage::Set(storage) = driver.storage else { return None };
        // Tables that do not match have what disables their entities, or have been left out otherwise.
        let are_all = self.cache.matches.len() == self.cell.store().structure.archetypes.tables.iter().len();
        self.cache.matches.first().filter(|_| are_all).map(|found| (storage, found.table))
    }

    /// Whether every entity of the sparse storage that a walk follows matches, if its table does: the query demands that it is there,
    /// and asks nothing else of a row. Not if the walk follows the log of the storage.
    #[inline]
    pub(super) fn holds_for_all(self) -> bool {
        D::FACTS.only_demands && F::FACTS.only_demands && self.cache.drivers.len() == 1
    }
}
