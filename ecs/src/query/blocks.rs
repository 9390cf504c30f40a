//! Going through the rows that a query matches, block by block.
//!
//! A block is a run of rows of one table. Usually it is the whole table. If the query demands a sparse component, the
//! walk follows the smallest of the sparse storages that it demands, row by row. If all that the query asks for is outside the
//! tables besides, the rows of that storage are one block.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use super::cache::{CacheOf, Match};
use super::fetch::{ContiguousFetch, Fetch, Recording, Rows, Sharing};
use super::filter::FilterTerms;
use super::matched::Matched;
use crate::cell::StoreCell;
use crate::entity::{Entity, TableId};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::tracking::{GROUP, LoggedRows};

/// Rows of one table, or of a sparse storage, ready to be read.
pub(crate) struct Block<'w, D: Fetch, F: FilterTerms> {
    pub(crate) data: D::Ready<'w>,
    /// Initialised if rows have to be asked by the filter.
    pub(super) filter: MaybeUninit<F::Ready<'w>>,
    pub(crate) rows: Rows,
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// Whether these are rows of a sparse storage, all of which match.
    pub(crate) all_packed: bool,
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

/// What another query may change of a table while a query with these terms goes through it.
pub(crate) const fn sharing<D: Fetch, F: FilterTerms>() -> Sharing {
    Sharing::of(D::FACTS.names_sparse || F::FACTS.names_sparse)
}

/// Whether everything that a query reads or asks for is stored outside the tables.
pub(super) const fn is_outside_tables<D: Fetch, F: FilterTerms>() -> bool {
    D::FACTS.outside_tables && F::FACTS.outside_tables
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
    #[inline(always)]
    unsafe fn of_tables(
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
        let data = unsafe { D::ready(cell, &cache.data, found.column, table) };
        let filter =
            if F::PER_ROW { MaybeUninit::new(F::ready(cell, &cache.filter, table)) } else { MaybeUninit::uninit() };
        Self { data, filter, rows: Rows::of(table), first: 0, end: table.len(), all_packed: false }
    }

    /// The filter, of a query of which it has to ask rows.
    #[inline(always)]
    pub(super) fn filter(&self) -> F::Ready<'w> {
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
    #[inline(always)]
    pub(crate) fn all_packed(&self) -> Option<D::Ready<'w>> {
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

    /// What is read of the rows from `first` on, if changes of them need no note but their ticks. See [`Fetch::noted`].
    ///
    /// # Safety
    ///
    /// - These rows of the block match, and are given out from what this returns, in the run of the query.
    #[inline(always)]
    pub(crate) unsafe fn noted(&self, first: usize) -> Option<D::Ready<'w>> {
        match sharing::<D, F>() {
            // SAFETY: the caller's promise; `Sharing::Nothing` says that no other query has rows of the table.
            // SAFETY: nothing has to hold where it is only asked what is enough.
            Sharing::Nothing if unsafe { D::recording(self.data, Recording::TicksAlone) }.is_some() => {
                let ticks = Recording::Ticks { first, count: self.end - first };
                // SAFETY: the caller's promise; `Sharing::Nothing` says that no other query has rows of the table.
                unsafe { D::recording(self.data, ticks) }
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

/// The blocks of a query, one after the other.
pub(crate) struct BlockIter<'w, 's, D: Fetch, F: FilterTerms> {
    matched: Matched<'w, 's, D, F>,
    /// The matches that are still to come, unless there is a driver. An iterator stays in registers from table to table, where the
    /// list would be looked at again for each.
    matches: slice::Iter<'s, Match<D::Column>>,
    /// All tables of the store, for the same reason.
    tables: &'w [Table],
    /// How far we are in the driver.
    at: usize,
    driver: Option<Driver<'w>>,
    /// Whether the driver leads to the rows one by one.
    is_led: bool,
}

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
    fn next_some(&self, at: &mut usize, some: &mut [u32; LED]) -> usize {
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

impl<D: Fetch, F: FilterTerms> Clone for BlockIter<'_, '_, D, F> {
    fn clone(&self) -> Self {
        let Self { matched, tables, at, driver, is_led, .. } = *self;
        Self { matched, matches: self.matches.clone(), tables, at, driver, is_led }
    }
}

impl<'w, 's, D: Fetch, F: FilterTerms> BlockIter<'w, 's, D, F> {
    /// All blocks.
    #[inline]
    pub(crate) fn new(matched: Matched<'w, 's, D, F>) -> Self {
        let driver = matched.driver();
        let is_led = driver.is_some_and(|driver| matched.what_is_packed(&driver).is_none());
        let tables = matched.cell.store().structure.archetypes.tables.as_slice();
        Self { matched, matches: matched.cache.matches.iter(), tables, at: 0, driver, is_led }
    }

    /// A walk that has come to its end.
    #[inline]
    pub(crate) fn nothing(matched: Matched<'w, 's, D, F>) -> Self {
        Self { matched, matches: [].iter(), tables: &[], at: usize::MAX, driver: None, is_led: false }
    }

    /// What it looks at.
    #[inline]
    pub(crate) fn matched(&self) -> Matched<'w, 's, D, F> {
        self.matched
    }

    /// How many rows the blocks have that are still to come, where rows need not be asked.
    pub(crate) fn rows_left(&self) -> usize {
        self.matches.as_slice().iter().filter_map(|found| self.tables.get(found.table.index())).map(Table::len).sum()
    }

    /// The next block. Rows of it may still have to be asked whether they match.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Block<'w, D, F>> {
        if per_row::<D, F>()
            && let Some(driver) = self.driver
        {
            return self.next_packed(&driver);
        }
        loop {
            let found = self.matches.next()?;
            let Matched { cell, cache } = self.matched;
            // SAFETY: the match is one of the cache, which belongs to the store and is up to date, as promised to `Matched::new`; `nothing`
            // has none.
            let block = unsafe { Block::of_tables(cell.anew(), self.tables, cache, found) };
            if block.end != 0 && block.has_any() {
                return Some(block);
            }
        }
    }

    /// Whether the walk follows a sparse storage row by row.
    #[inline]
    pub(crate) fn is_led(&self) -> bool {
        per_row::<D, F>() && self.is_led
    }

    /// The rows that the driver still leads to one by one, if the walk [is led](Self::is_led) by one.
    #[inline]
    pub(crate) fn led_one_by_one(&self) -> Option<Led<'w>> {
        if self.is_led() { self.driver.map(|driver| Led { driver, at: self.at }) } else { None }
    }

    /// The next of the rows that [`led_one_by_one`](Self::led_one_by_one) returns, and that match. `block` is that of its table.
    ///
    /// # Safety
    ///
    /// - A driver leads to rows one by one. The filter may read what it asks for.
    /// - `block` is initialized if `table` is not [`TableId::UNUSED`], and is then a block of all rows of that table.
    #[inline]
    pub(crate) unsafe fn next_led(
        &mut self,
        table: &mut TableId,
        block: &mut MaybeUninit<Block<'w, D, F>>,
    ) -> Option<usize> {
        let driver = self.driver?;
        loop {
            // SAFETY: the block is forwarded.
            let row = unsafe { driver.next_row(self.matched, (&mut self.at, usize::MAX), table, block) }?;
            // SAFETY: `next_row` has initialized the block, and a live entity is in its row.
            if unsafe { block.assume_init_ref().contains_row(row) } {
                return Some(row);
            }
        }
    }

    /// The block of all rows of the sparse storage that the walk follows.
    fn next_packed(&mut self, driver: &Driver<'w>) -> Option<Block<'w, D, F>> {
        assert!(!self.is_led, "rows that a driver leads to one by one are not in blocks");
        if self.at != 0 {
            return None;
        }
        self.at = usize::MAX;
        // SAFETY: the driver is that of the query.
        unsafe { self.matched.packed(driver) }.filter(|block| block.end != 0)
    }
}

/// How many rows are looked up at a time.
const LED: usize = 64;

/// Rows that a driver leads to one by one, from a place on.
#[derive(Clone, Copy)]
pub(crate) struct Led<'w> {
    driver: Driver<'w>,
    at: usize,
}

impl<'w> Led<'w> {
    /// Calls `each` with the rows that match, by a block of the whole table and the number of the row.
    ///
    /// # Errors
    ///
    /// Those of the function, with which it ends.
    #[inline(always)]
    pub(crate) fn for_each<D: Fetch, F: FilterTerms, E>(
        self,
        matched: Matched<'w, '_, D, F>,
        mut each: impl FnMut(&Block<'w, D, F>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { driver, mut at } = self;
        let entities = &matched.cell.store().structure.entities;
        // The table of the last row. Its block stays where it is, and is not copied for each row.
        let mut table = TableId::UNUSED;
        let mut block = None;
        let is_asked = !matched.holds_for_all();
        // `each` stands in one loop, so that it becomes a part of it.
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
                // SAFETY: a live entity is in its row.
                if !is_asked || unsafe { block.contains_row(row) } {
                    each(block, row)?;
                }
            }
        }
    }
}

impl<'w> Driver<'w> {
    /// The row of the next entity from a place on that is before `end`. The place becomes that to go on from, and `block` that of all rows
    /// of the table where the entity is.
    ///
    /// # Safety
    ///
    /// - `block` is initialized if `table` is not [`TableId::UNUSED`], and is then a block of all rows of that table.
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
            let Some(location) = matched.cell.store().structure.entities.location_at(index) else { continue };
            if *table != location.table {
                let Some(whole) = matched.block_of(location.table) else { continue };
                block.write(whole);
                *table = location.table;
            }
            return Some(location.row as usize);
        }
    }
}
