//! The rows that a query matches, in pieces for several threads.
//!
//! All matched tables stand one behind the other, and a task is a range of their rows. Each begins at a multiple of 64, so
//! that a cut at such a number is one in its table, too: rows that have ticks in common are not torn apart. A walk along a
//! sparse storage is cut at places of that.
//!
//! Several threads may change rows of one column in one run. The order in which rows enter its log is not deterministic
//! then, and cannot be noticed: a filter yields rows in ascending order, by a log or without one. A parallel loop over
//! changes goes by the groups of a table, or by the places of a sparse storage, so its tasks do not depend on the logs.

use core::convert::Infallible;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::blocks::{Block, Driver, Matched, per_row};
use super::cursor::RowCursor;
use super::data::QueryData;
use super::fetch::{ContiguousFetch, Fetch};
use super::filter::FilterTerms;
use super::fold::{FoldBlock, fold_asked};
use super::row_ranges::{OfItems, RowRanges, SliceKernel};
use crate::entity::TableId;
use crate::pool::Tasks;
use crate::simd::{self, Variants};
use crate::tracking::GROUP;

/// What a query matches, to be gone through piece by piece.
pub(crate) struct Partition<'w, 's, D: Fetch, F: FilterTerms> {
    matched: Matched<'w, 's, D, F>,
    driver: Option<Driver<'w>>,
    /// Of which number each table's rows begin at a multiple.
    align: usize,
    /// With the gaps between tables.
    rows: usize,
}

/// How far a thread has come in the list of tables. Most pieces come in ascending order; a thread that takes turns in lanes may
/// take an earlier one next.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reached {
    /// A match, and the number of its first row.
    at: usize,
    start: usize,
}

impl<'w, 's, D: Fetch, F: FilterTerms> Partition<'w, 's, D, F> {
    /// The rows of all tables that match, for tasks of `batch` rows if that is given.
    pub(crate) fn new(matched: Matched<'w, 's, D, F>, batch: Option<usize>) -> Self {
        let driver = matched.driver();
        let align = if batch.is_none() || F::PER_ROW { GROUP } else { 1 };
        let mut partition = Self { matched, driver, align, rows: 0 };
        partition.rows = match partition.driver {
            Some(driver) => driver.places(),
            None => {
                (0..matched.cache().matches.len()).fold(0, |rows, at| rows.next_multiple_of(align) + partition.len(at))
            }
        };
        partition
    }

    /// How it is cut into tasks.
    pub(crate) fn tasks(&self, batch: Option<usize>) -> Tasks {
        // Where rows come in groups.
        let aligned = F::PER_ROW && self.driver.is_none_or(|driver| self.packed(&driver).is_some());
        match batch {
            Some(batch) if aligned => Tasks::of_size(self.rows, batch).rounded(),
            Some(batch) => Tasks::of_size(self.rows, batch),
            None if aligned => Tasks::of_groups(self.rows).joined(),
            None => Tasks::of(self.rows).joined(),
        }
    }

    fn packed(&self, driver: &Driver<'w>) -> Option<Block<'w, D, F>> {
        // SAFETY: the driver is that of the query.
        unsafe { self.matched.packed(driver) }
    }

    /// How many rows the table of a match has.
    fn len(&self, at: usize) -> usize {
        let table = self.matched.cache().matches[at].table;
        self.matched.cell().store().structure.archetypes.tables.get(table).map_or(0, |table| table.len())
    }

    /// Calls `each` with the blocks of a task. Rows of them may still have to be asked whether they match.
    pub(crate) fn blocks<E>(
        &self,
        reached: &mut Reached,
        task: Range<usize>,
        mut each: impl FnMut(Block<'w, D, F>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(driver) = &self.driver {
            return self.driven(driver, task, each);
        }
        while reached.start > task.start && reached.at > 0 {
            let at = reached.at - 1;
            *reached = Reached { at, start: reached.start - self.len(at).next_multiple_of(self.align) };
        }
        while let Some(found) = self.matched.cache().matches.get(reached.at) {
            let len = self.len(reached.at);
            let first = task.start.saturating_sub(reached.start);
            let end = len.min(task.end.saturating_sub(reached.start));
            if first < end
                && let Some(block) = self.matched.block_of(found.table)
                && block.has_any()
            {
                each(Block { first, end, ..block })?;
            }
            let next = reached.start + len.next_multiple_of(self.align);
            if next > task.end {
                break;
            }
            *reached = Reached { at: reached.at + 1, start: next };
        }
        Ok(())
    }

    fn driven<E>(
        &self,
        driver: &Driver<'w>,
        task: Range<usize>,
        mut each: impl FnMut(Block<'w, D, F>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(block) = self.packed(driver) {
            return each(Block { first: task.start, end: task.end, ..block });
        }
        let (mut at, mut table, mut block) = (task.start, TableId::UNUSED, MaybeUninit::uninit());
        loop {
            // SAFETY: `table` and `block` are those that the last call has left.
            let row = unsafe { driver.next_row(self.matched, (&mut at, task.end), &mut table, &mut block) };
            let Some(first) = row else { return Ok(()) };
            // SAFETY: `next_row` has returned a row, so it has initialized the block.
            each(Block { first, end: first + 1, ..unsafe { block.assume_init() } })?;
        }
    }

    /// Calls `each` with the items of a task.
    ///
    /// # Safety
    ///
    /// - The access of the query is allowed, and no other borrow is in its way, for `'w`.
    /// - No row of the task is given out otherwise.
    #[inline]
    pub(crate) unsafe fn for_each<Q: QueryData<Terms = D>>(
        &self,
        reached: &mut Reached,
        task: Range<usize>,
        mut each: impl FnMut(Q::Item<'w, 's>),
    ) {
        let kept = Some(&self.matched.cache().data);
        let mut each = |(), item| each(item);
        let Ok(()) = self.blocks(reached, task, |block| {
            if per_row::<D, F>() {
                let (cursor, run) = RowCursor::of_block(self.matched, block);
                // SAFETY: the run is the first of the cursor; the access is forwarded.
                unsafe { fold_asked::<Q, F, (), false>(cursor, run, kept, (), &mut each) };
            } else {
                // SAFETY: all rows match; the access is forwarded.
                let job = unsafe { FoldBlock::<Q, F, _, _, false>::of(block, kept, (), &mut each) };
                simd::run::<OfItems<D>, _>(job);
            }
            Ok::<(), Infallible>(())
        });
    }
}

impl<'w, D: ContiguousFetch, F: FilterTerms> Partition<'w, '_, D, F> {
    /// Calls `each` with the rows of a task as slices.
    ///
    /// # Safety
    ///
    /// - As for [`Partition::for_each`].
    pub(crate) unsafe fn for_each_slice(
        &self,
        reached: &mut Reached,
        task: Range<usize>,
        mut each: impl FnMut(D::Slice<'w>),
    ) {
        let Ok(()) = self.blocks(reached, task, |block| {
            let (mut cursor, mut run) = RowCursor::of_block(self.matched, block);
            loop {
                while !run.is_empty() {
                    // SAFETY: the rows match; the access to them is forwarded, and none is given out twice.
                    each(unsafe { cursor.block().next_slice(&mut run) });
                }
                match cursor.next_run() {
                    Some(next) => run = next,
                    None => break,
                }
            }
            Ok::<(), Infallible>(())
        });
    }
}

impl<D: ContiguousFetch, F: FilterTerms> Partition<'_, '_, D, F> {
    /// Calls a function with the rows of a task as slices, until it fails.
    ///
    /// # Safety
    ///
    /// - As for [`Partition::for_each`].
    #[inline]
    pub(crate) unsafe fn for_each_range<V: Variants, K: SliceKernel<D>>(
        &self,
        reached: &mut Reached,
        task: Range<usize>,
        kernel: &mut K,
    ) -> Result<(), K::Error> {
        self.blocks(reached, task, |block| {
            // SAFETY: the block is one of the query's; the rest is the caller's promise.
            unsafe { RowRanges::of(self.matched, block) }.for_each::<V, K>(kernel)
        })
    }
}
