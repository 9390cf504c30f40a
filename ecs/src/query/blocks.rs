//! Going through the rows that a query matches, block by block.
//!
//! A block is a run of rows of one table. Usually it is the whole table. If the query demands a sparse component, the
//! walk follows the smallest of the sparse storages that it demands, row by row. If all that the query asks for is outside the
//! tables besides, the rows of that storage are one block.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::cache::{CacheOf, Match};
use super::fetch::{ContiguousFetch, Fetch, Recording, Rows, Sharing};
use super::filter::FilterTerms;
use crate::cell::StoreCell;
use crate::entity::{Entity, TableId};
use crate::sparse::{SparseSet, SparseStorage};
use crate::table::Table;
use crate::tracking::{GROUP, LoggedRows};

/// Rows of one table, or of a sparse storage, ready to be read.
pub(crate) struct Block<'w, D: Fetch, F: FilterTerms> {
    pub(crate) data: D::TableFetch<'w>,
    /// Initialised if rows have to be asked by the filter.
    pub(super) filter: MaybeUninit<F::TableFetch<'w>>,
    pub(crate) rows: Rows,
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// Whether these are rows of a sparse storage, all of which match.
    pub(crate) all_packed: bool,
}

impl_copy! { [D: Fetch, F: FilterTerms] Block<'_, D, F>; }

/// Whether rows of a matched table have to be asked one by one.
pub(crate) const fn per_row<D: Fetch, F: FilterTerms>() -> bool {
    D::PER_ROW || F::PER_ROW
}

/// What another query may change of a table while a query with these terms goes through it.
pub(crate) const fn sharing<D: Fetch, F: FilterTerms>() -> Sharing {
    Sharing::of(D::FACTS.names_sparse || F::FACTS.names_sparse)
}

/// Whether everything that a query reads or asks for is stored outside the tables.
pub(super) const fn is_outside_tables<D: Fetch, F: FilterTerms>() -> bool {
    D::FACTS.outside_tables && F::FACTS.outside_tables
}

/// A store, and the cache of a query, which belongs to it and is up to date. It gives no access to values.
pub(crate) struct Matched<'w, 's, D: Fetch, F: FilterTerms> {
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D, F>,
}

impl_copy! { [D: Fetch, F: FilterTerms] Matched<'_, '_, D, F>; }

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
    #[inline]
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
        let data = D::packed(whole.data, storage);
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

impl<'w, D: Fetch, F: FilterTerms> Block<'w, D, F> {
    /// # Safety
    ///
    /// - The match belongs to the cache, which belongs to the cell's store and is up to date.
    #[inline(always)]
    pub(super) unsafe fn whole(cell: StoreCell<'w>, cache: &CacheOf<D, F>, found: &Match<D::Column>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::of_tables(cell, cell.store().structure.archetypes.tables.as_slice(), cache, found) }
    }

    /// The same, with the tables of the store at hand.
    ///
    /// # Safety
    ///
    /// - As for [`Block::whole`]; these are all tables of the cell's store.
    #[inline]
    pub(super) unsafe fn of_tables(
        cell: StoreCell<'w>,
        tables: &'w [Table],
        cache: &CacheOf<D, F>,
        found: &Match<D::Column>,
    ) -> Self {
        debug_assert!(found.table.index() < tables.len());
        // SAFETY: the cache belongs to this store and was updated when the query began. The store has been borrowed ever
        // since, so no table was removed: the numbers are those of this epoch.
        let table = unsafe { tables.get_unchecked(found.table.index()) };
        // SAFETY: state and column are those of this store and table.
        let data = unsafe { D::visit_table(cell, &cache.data, found.column, table) };
        let filter = if F::PER_ROW {
            MaybeUninit::new(F::visit_table(cell, &cache.filter, table))
        } else {
            MaybeUninit::uninit()
        };
        Self { data, filter, rows: Rows::of(table), first: 0, end: table.len(), all_packed: false }
    }

    /// The filter, of a query of which it has to ask rows.
    #[inline(always)]
    pub(super) fn filter(&self) -> F::TableFetch<'w> {
        // Known when it is compiled.
        assert!(F::PER_ROW, "a filter that has not been made ready");
        // SAFETY: whoever made the block has made the filter ready, since rows have to be asked.
        unsafe { self.filter.assume_init() }
    }

    /// Whether the filter knows of rows that may match.
    #[inline(always)]
    pub(crate) fn has_any(&self) -> bool {
        !F::PER_ROW || F::any(self.filter())
    }

    /// What is read of the rows of a sparse storage, if they all match. The compiler knows more of it than of the block's.
    #[inline]
    pub(crate) fn all_packed(&self) -> Option<D::TableFetch<'w>> {
        // SAFETY: `packed` made this, and all rows match.
        (is_outside_tables::<D, F>() && self.all_packed).then(|| unsafe { D::all_packed(self.data) })
    }

    /// Whether an entity of the table, which is in this row, matches.
    #[inline]
    pub(crate) fn contains(&self, entity: Entity, row: usize) -> bool {
        self.all_packed().is_some()
            || (!D::PER_ROW || D::contains(self.data, entity))
                && (!F::PER_ROW || F::contains(self.filter(), entity, row))
    }

    /// What is read of the rows from `first` on, if changes of them need no note but their ticks. See [`Fetch::recording`].
    #[inline(always)]
    pub(crate) fn noted(&self, first: usize) -> Option<D::TableFetch<'w>> {
        match sharing::<D, F>() {
            Sharing::Nothing if D::recording(self.data, Recording::TicksAlone).is_some() => {
                D::recording(self.data, Recording::Ticks { first, count: self.end - first })
            }
            _ => None,
        }
    }

    /// Whether the row matches.
    ///
    /// # Safety
    ///
    /// - The row is one of the table.
    #[inline]
    pub(crate) unsafe fn contains_row(&self, row: usize) -> bool {
        // SAFETY: the caller's promise.
        !per_row::<D, F>() || self.contains(unsafe { self.rows.entity(row) }, row)
    }

    /// A bit for each row of the group that begins with `row` that matches.
    ///
    /// # Safety
    ///
    /// - The group is one of the table, and of the block. What the query reads may be read.
    /// - No row of the group has been given out by this query since it was borrowed.
    #[inline]
    pub(super) unsafe fn mask(&self, row: usize) -> u64 {
        let count = (self.end - row).min(GROUP);
        if self.all_packed().is_some() {
            return u64::MAX >> (GROUP - count);
        }
        let mask = match F::PER_ROW {
            // SAFETY: the rows are rows of the table, and what the filter reads may be read. Code that changes values in the
            // group at the same time does so by this query, which has given out none of them, or by another one, which has no
            // rows of this table unless `sharing` says so.
            true => unsafe { F::mask(self.filter(), self.rows, row, count, sharing::<D, F>()) },
            false => u64::MAX,
        };
        // SAFETY: the bits are those of rows of the table.
        unsafe { self.with_data(row, mask & u64::MAX >> (GROUP - count)) }
    }

    /// Where the rows end that all match, from a row on that begins a group or is the end of the block. It may be said too
    /// early.
    ///
    /// # Safety
    ///
    /// - As for [`Block::mask`], for all rows from this one on.
    #[inline]
    pub(super) unsafe fn end_of_matching(&self, row: usize) -> usize {
        if D::PER_ROW || !F::PER_ROW || row >= self.end {
            return row;
        }
        // SAFETY: as for `mask`.
        unsafe { F::end_of_matching(self.filter(), self.rows, row, self.end, sharing::<D, F>()) }
    }

    /// Those of some rows, which begin with `first`, whose entities have what the query reads.
    ///
    /// # Safety
    ///
    /// - The rows are rows of the table.
    #[inline]
    unsafe fn with_data(&self, first: usize, mut rows: u64) -> u64 {
        if D::PER_ROW {
            let mut left = rows;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                // SAFETY: the caller's promise.
                let entity = unsafe { self.rows.entity(first + bit as usize) };
                rows &= !(u64::from(!D::contains(self.data, entity)) << bit);
            }
        }
        rows
    }

    /// Those of some rows of the group that begins with `first` that are rows of the block, and match. They come from a list,
    /// and need not be asked if that is exact.
    #[inline]
    pub(super) fn of_list(&self, first: usize, rows: u64, exact: bool) -> u64 {
        let mut rows = match self.end.saturating_sub(first) {
            GROUP.. => rows,
            count => rows & !(u64::MAX << count),
        };
        let mut left = rows;
        while left != 0 && (!exact || cfg!(debug_assertions)) {
            let bit = left.trailing_zeros();
            left &= left - 1;
            // SAFETY: the row is one of the block.
            let matches = unsafe { self.contains_row(first + bit as usize) };
            debug_assert!(!exact || matches, "a row of an exact list does not match");
            rows &= !(u64::from(!matches) << bit);
        }
        rows
    }
}

impl<'w, D: ContiguousFetch, F: FilterTerms> Block<'w, D, F> {
    /// Whether each slice has one row, because the values are not contiguous.
    #[inline(always)]
    pub(crate) fn has_single_rows(&self) -> bool {
        D::SINGLE_ROWS && !(D::PACKED_SLICES && self.all_packed().is_some())
    }

    /// The first rows of a run as slices, which have all rows, or one if values do not lie one behind the other. The run becomes the rest.
    ///
    /// # Safety
    ///
    /// - As for [`slice`](Self::slice), for the rows of the run, which is not empty.
    #[inline(always)]
    pub(crate) unsafe fn next_slice(&self, run: &mut Range<usize>) -> D::Slice<'w> {
        let (first, count) = (run.start, if self.has_single_rows() { 1 } else { run.len() });
        run.start += count;
        // SAFETY: forwarded for the first `count` rows of the run, which is one if slices can have one only.
        unsafe { self.slice(first, count) }
    }

    /// Several rows, which count as given out.
    ///
    /// # Safety
    ///
    /// - As for [`ContiguousFetch::slice`]; the rows are rows of the block.
    #[inline(always)]
    pub(crate) unsafe fn slice(&self, first: usize, count: usize) -> D::Slice<'w> {
        // SAFETY: the caller's promise.
        unsafe {
            D::mark(self.data, self.rows, first, count, sharing::<D, F>());
            D::slice(self.data, self.rows, first, count)
        }
    }
}

/// How many rows are looked up at a time.
pub(super) const LED: usize = 64;

/// A sparse storage that every match is in, and, if there is a list, values of it among which are those of all matches.
#[derive(Clone, Copy)]
pub(crate) struct Driver<'w> {
    pub(super) storage: &'w SparseStorage,
    pub(super) logged: Option<LoggedRows<'w>>,
}

impl Driver<'_> {
    /// Puts the indexes of the next entities from a place on to the beginning of `some`, goes on to the place behind them, and says how
    /// many there are: none at the end. Of a list it takes one at a time, as others may be put in it meanwhile.
    #[inline]
    pub(super) fn next_some(&self, at: &mut usize, some: &mut [u32; LED]) -> usize {
        if self.logged.is_none() {
            return self.storage.next_indexes(at, some);
        }
        let Some((index, next)) = self.next(*at) else { return 0 };
        *at = next;
        some[0] = index;
        1
    }

    /// All numbers at which there may be one are below this, with a list or without.
    pub(crate) fn places(&self) -> usize {
        self.storage.places()
    }

    /// The index of the next entity from a place on, and where to go on. What is asked for in ascending order does not come
    /// twice.
    pub(crate) fn next(&self, mut at: usize) -> Option<(u32, usize)> {
        let Some(logged) = &self.logged else { return self.storage.next_index(at) };
        loop {
            let row = logged.next_row(at)?;
            at = row + 1;
            if let Some(index) = self.storage.entity_of_ticks(row) {
                return Some((index, at));
            }
        }
    }
}
