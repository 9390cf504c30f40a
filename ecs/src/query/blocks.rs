//! Iteration over the rows that a query matches, block by block.
//!
//! A block is a run of rows of one table, usually the whole table. If the query demands a sparse component, the iteration follows
//! the smallest demanded sparse storage, row by row. If, in addition, the query reads and checks nothing that is stored in tables,
//! the rows of that storage form one block.
//!
//! Tests: tests/queries/iteration.rs, tests/queries/packed.rs

use core::mem::MaybeUninit;
use core::ops::Range;

use super::cache::{CacheOf, Match};
use super::fetch::{ContiguousFetch, Fetch, Recording, Rows, Sharing};
use super::filter::FilterTerms;
use crate::entity::{Entity, TableId};
use crate::storage::sparse::{SparseSet, SparseStorage};
use crate::storage::table::Table;
use crate::storage::tracking::{GROUP, LoggedRows};
use crate::structure::cell::StoreCell;

/// Rows of one table, or of a sparse storage, with the state for fetching them.
pub(crate) struct Block<'w, D: Fetch, F: FilterTerms> {
    pub(crate) data: D::TableFetch<'w>,
    /// Initialized if the filter checks rows (`F::PER_ROW`).
    pub(super) filter: MaybeUninit<F::TableFetch<'w>>,
    pub(crate) rows: Rows,
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// Whether the block has all rows of a sparse storage, and all of them match.
    pub(crate) all_packed: bool,
}

impl_copy! { [D: Fetch, F: FilterTerms] Block<'_, D, F>; }

/// Returns whether rows of a matched table have to be checked one by one.
pub(crate) const fn per_row<D: Fetch, F: FilterTerms>() -> bool {
    D::PER_ROW || F::PER_ROW
}

/// Returns which rows of a table another query may change while a query with these terms visits the table.
pub(crate) const fn sharing<D: Fetch, F: FilterTerms>() -> Sharing {
    Sharing::of(D::FACTS.names_sparse || F::FACTS.names_sparse)
}

/// Returns whether everything that a query reads or checks is stored outside the tables.
pub(super) const fn is_outside_tables<D: Fetch, F: FilterTerms>() -> bool {
    D::FACTS.outside_tables && F::FACTS.outside_tables
}

/// A store, and the cache of a query. The cache belongs to the store and is up to date. This type gives no access to values.
pub(crate) struct Matched<'w, 's, D: Fetch, F: FilterTerms> {
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D, F>,
}

impl_copy! { [D: Fetch, F: FilterTerms] Matched<'_, '_, D, F>; }

impl<'w, 's, D: Fetch, F: FilterTerms> Matched<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    /// - The values that the filter reads may be read for `'w`.
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

    /// Returns a copy that does not record visits of tables, because these are already recorded.
    #[inline]
    pub(crate) fn again(self) -> Self {
        Self { cell: self.cell.again(), ..self }
    }

    /// Returns a copy with the read-only version of the terms.
    #[inline]
    pub(crate) fn read_only(self) -> Matched<'w, 's, D::ReadOnly, F> {
        Matched { cell: self.cell, cache: self.cache }
    }

    /// Returns a block of all rows of a table, if the table matches.
    #[inline]
    pub(crate) fn block_of(self, table: TableId) -> Option<Block<'w, D, F>> {
        let found = self.cache.match_of(table)?;
        // SAFETY: the match is one of the cache, which belongs to the cell's store and is up to date, as promised to `new`.
        Some(unsafe { Block::whole(self.cell, self.cache, &found) })
    }

    /// Iterates over the matched tables, one after the other, and yields a block of all rows of each.
    pub(crate) fn blocks(self) -> impl Iterator<Item = Block<'w, D, F>> {
        self.cache.matches.iter().filter_map(move |found| self.block_of(found.table))
    }

    /// Returns whether an entity is alive and matches.
    pub(crate) fn contains(self, entity: Entity) -> bool {
        let Some(location) = self.cell.store().structure.entities.get(entity) else { return false };
        self.block_of(location.table).is_some_and(|block| block.contains(entity, location.row as usize))
    }

    /// Returns the smallest sparse storage that contains every match, or a sparse storage with a change log that contains every
    /// match. Returns `None` if there is no such storage, or if rows need no check.
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

    /// Returns all values of the sparse storage that the iteration follows, as one block. Returns `None` if it matters which tables
    /// the entities of the storage are in.
    ///
    /// # Safety
    ///
    /// - [`driver`](Self::driver) returned `driver`, for this query.
    pub(crate) unsafe fn packed(self, driver: &Driver<'w>) -> Option<Block<'w, D, F>> {
        let (storage, table) = self.what_is_packed(driver)?;
        let whole = self.block_of(table)?;
        let data = D::packed(whole.data, storage);
        let all_packed = self.holds_for_all();
        Some(Block { data, rows: Rows::of_storage(storage), end: storage.entities().len(), all_packed, ..whole })
    }

    /// Returns the set whose values are the rows of [`packed`](Self::packed), and a matched table. Returns `None` unless there are
    /// both.
    #[inline]
    pub(super) fn what_is_packed(self, driver: &Driver<'w>) -> Option<(&'w SparseSet, TableId)> {
        if !is_outside_tables::<D, F>() || driver.logged.is_some() {
            return None;
        }
        let SparseStorage::Set(storage) = driver.storage else { return None };
        // The rows of the set are used without their tables only if all tables match. A table that does not match, for example because it
        // has a disabling component, may have some of these rows.
        let are_all = self.cache.matches.len() == self.cell.store().structure.archetypes.tables.iter().len();
        self.cache.matches.first().filter(|_| are_all).map(|found| (storage, found.table))
    }

    /// Returns whether every entity of the sparse storage that the iteration follows matches if its table does. This is true if the
    /// query demands only that sparse component of a row, and the iteration does not follow a change log.
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
        // SAFETY: forwarded: `found` belongs to the cache, which belongs to the cell's store and is up to date; `tables` are all
        // tables of that store.
        unsafe { Self::of_tables(cell, cell.store().structure.archetypes.tables.as_slice(), cache, found) }
    }

    /// Like [`Block::whole`], but takes the tables of the store as an argument.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Block::whole`] hold. `tables` are all tables of the cell's store.
    #[inline]
    pub(super) unsafe fn of_tables(
        cell: StoreCell<'w>,
        tables: &'w [Table],
        cache: &CacheOf<D, F>,
        found: &Match<D::Column>,
    ) -> Self {
        debug_assert!(found.table.index() < tables.len());
        // SAFETY: the cache belongs to this store and was updated when the query began. The store has been borrowed since then, so
        // no table was removed and the table ids are still valid.
        let table = unsafe { tables.get_unchecked(found.table.index()) };
        // SAFETY: state and column belong to this store and table.
        let data = unsafe { D::visit_table(cell, &cache.data, found.column, table) };
        let filter = if F::PER_ROW {
            MaybeUninit::new(F::visit_table(cell, &cache.filter, table))
        } else {
            MaybeUninit::uninit()
        };
        Self { data, filter, rows: Rows::of(table), first: 0, end: table.len(), all_packed: false }
    }

    /// Returns the fetch state of the filter. Only for a query whose filter checks rows.
    #[inline(always)]
    pub(super) fn filter(&self) -> F::TableFetch<'w> {
        // The condition is a constant, so the assertion is evaluated at compile time.
        assert!(F::PER_ROW, "a filter that has not been made ready");
        // SAFETY: every block is made with an initialized filter if `F::PER_ROW`, which was asserted.
        unsafe { self.filter.assume_init() }
    }

    /// Returns whether, according to the filter, any row may match.
    #[inline(always)]
    pub(crate) fn has_any(&self) -> bool {
        !F::PER_ROW || F::any(self.filter())
    }

    /// Returns the fetch state of a block that has all rows of a sparse storage, if all of them match. The compiler knows more
    /// about this state than about `self.data`.
    #[inline]
    pub(crate) fn all_packed(&self) -> Option<D::TableFetch<'w>> {
        // SAFETY: `packed` made this block, and all of its rows match.
        (is_outside_tables::<D, F>() && self.all_packed).then(|| unsafe { D::all_packed(self.data) })
    }

    /// Returns whether the entity in this row of the table matches.
    #[inline]
    pub(crate) fn contains(&self, entity: Entity, row: usize) -> bool {
        self.all_packed().is_some()
            || (!D::PER_ROW || D::contains(self.data, entity))
                && (!F::PER_ROW || F::contains(self.filter(), entity, row))
    }

    /// Returns the fetch state of the rows from `first` on, if it is enough to record their changes in ticks. See
    /// [`Fetch::recording`].
    #[inline(always)]
    pub(crate) fn noted(&self, first: usize) -> Option<D::TableFetch<'w>> {
        match sharing::<D, F>() {
            Sharing::Nothing if D::recording(self.data, Recording::TicksAlone).is_some() => {
                D::recording(self.data, Recording::Ticks { first, count: self.end - first })
            }
            _ => None,
        }
    }

    /// Returns whether the row matches.
    ///
    /// # Safety
    ///
    /// - The row exists in the table.
    #[inline]
    pub(crate) unsafe fn contains_row(&self, row: usize) -> bool {
        // SAFETY: forwarded: the row exists in the table.
        !per_row::<D, F>() || self.contains(unsafe { self.rows.entity(row) }, row)
    }

    /// Returns a mask of the matching rows of the group that begins with `row`.
    ///
    /// # Safety
    ///
    /// - The group belongs to the table and to the block. The values that the query reads may be read.
    /// - This query has not yielded any row of the group since it was borrowed.
    #[inline]
    pub(super) unsafe fn mask(&self, row: usize) -> u64 {
        let count = (self.end - row).min(GROUP);
        if self.all_packed().is_some() {
            return u64::MAX >> (GROUP - count);
        }
        let mask = match F::PER_ROW {
            // SAFETY: the rows exist in the table, and the values that the filter reads may be read. Other code can change values
            // of the group only through this query, which has not yielded any of its rows, or through another query, which has no
            // rows of this table unless `sharing` says so.
            true => unsafe { F::mask(self.filter(), self.rows, row, count, sharing::<D, F>()) },
            false => u64::MAX,
        };
        // SAFETY: the bits stand for rows of the table.
        unsafe { self.with_data(row, mask & u64::MAX >> (GROUP - count)) }
    }

    /// Returns the end of the run of matching rows that begins with `row`. `row` begins a group, or is the end of the block. The
    /// result may be lower than the true end.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Block::mask`] hold for all rows from `row` on.
    #[inline]
    pub(super) unsafe fn end_of_matching(&self, row: usize) -> usize {
        if D::PER_ROW || !F::PER_ROW || row >= self.end {
            return row;
        }
        // SAFETY: forwarded: the rows from `row` to `end` exist in the table and the block, may be read, and were not yielded
        // before.
        unsafe { F::end_of_matching(self.filter(), self.rows, row, self.end, sharing::<D, F>()) }
    }

    /// Clears the bits of those rows whose entities lack something that the query reads. The bits count from the row `first`.
    ///
    /// # Safety
    ///
    /// - The rows exist in the table.
    #[inline]
    unsafe fn with_data(&self, first: usize, mut rows: u64) -> u64 {
        if D::PER_ROW {
            let mut left = rows;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                // SAFETY: forwarded: the row exists in the table.
                let entity = unsafe { self.rows.entity(first + bit as usize) };
                rows &= !(u64::from(!D::contains(self.data, entity)) << bit);
            }
        }
        rows
    }

    /// Clears the bits of those rows that do not belong to the block or do not match. The bits count from the row `first`. The rows
    /// come from a change log. If `exact` is true, the log contains only matching rows, so they are not checked.
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
            // SAFETY: the row belongs to the block.
            let matches = unsafe { self.contains_row(first + bit as usize) };
            debug_assert!(!exact || matches, "a row of an exact list does not match");
            rows &= !(u64::from(!matches) << bit);
        }
        rows
    }
}

impl<'w, D: ContiguousFetch, F: FilterTerms> Block<'w, D, F> {
    /// Returns whether each slice has only one row, because the values are not contiguous.
    #[inline(always)]
    pub(crate) fn has_single_rows(&self) -> bool {
        D::SINGLE_ROWS && !(D::PACKED_SLICES && self.all_packed().is_some())
    }

    /// Removes the first rows from a run and returns them as slices. These are all rows of the run, or one row if the values are
    /// not contiguous.
    ///
    /// # Safety
    ///
    /// - The conditions of [`slice`](Self::slice) hold for the rows of the run, which is not empty.
    #[inline(always)]
    pub(crate) unsafe fn next_slice(&self, run: &mut Range<usize>) -> D::Slice<'w> {
        let (first, count) = (run.start, if self.has_single_rows() { 1 } else { run.len() });
        run.start += count;
        // SAFETY: forwarded for the first `count` rows of the run; `count` is 1 if slices are limited to one row.
        unsafe { self.slice(first, count) }
    }

    /// Returns several rows as slices. These rows count as yielded.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ContiguousFetch::slice`] hold. The rows belong to the block.
    #[inline(always)]
    pub(crate) unsafe fn slice(&self, first: usize, count: usize) -> D::Slice<'w> {
        // SAFETY: forwarded: `count` rows from `first` belong to the block, the access to them is allowed, and `count` is 1 if
        // slices are limited to one row.
        unsafe {
            D::mark(self.data, self.rows, first, count, sharing::<D, F>());
            D::slice(self.data, self.rows, first, count)
        }
    }
}

/// Maximum number of entities that `Driver::next_some` returns.
pub(super) const LED: usize = 64;

/// A sparse storage that contains every match. `logged` is a change log of this storage that contains every match, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Driver<'w> {
    pub(super) storage: &'w SparseStorage,
    pub(super) logged: Option<LoggedRows<'w>>,
}

impl Driver<'_> {
    /// Writes the indexes of the next entities from position `at` on to the beginning of `some`. Advances `at` past them. Returns
    /// their number, or 0 at the end. A change log yields one entity per call, because entries may be added to the log during the
    /// iteration.
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

    /// Returns an upper bound of all positions in the storage and in the log.
    pub(crate) fn places(&self) -> usize {
        self.storage.places()
    }

    /// Returns the index of the next entity at position `at` or later, and the position at which to continue. Calls with ascending
    /// positions return each entity at most once.
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
