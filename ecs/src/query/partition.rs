//! The rows that a query matches, divided into tasks for several threads.
//!
//! The rows of all matched tables are numbered consecutively, and a task is a range of these numbers. The rows of each table begin
//! at a multiple of 64. So a task boundary at a multiple of 64 is also at a multiple of 64 in the table, and rows that share ticks
//! are in one task. If the iteration follows a sparse storage, a task is a range of positions in this storage.
//!
//! Several threads may change rows of one column in one run. The order in which these rows enter the log of the column is then not
//! deterministic. This has no effect, because a filter yields rows in ascending order, with or without a log. A parallel loop over
//! changes is divided by the groups of a table, or by the positions of a sparse storage, so its tasks do not depend on the logs.
//!
//! Tests: tests/systems/parallel/iteration.rs

use core::convert::Infallible;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::blocks::{Block, Driver, Matched, per_row};
use super::cursor::RowCursor;
use super::data::QueryData;
use super::fetch::{ContiguousFetch, Fetch};
use super::filter::FilterTerms;
use super::fold::{FoldBlock, fold_asked};
use super::row_ranges::{ItemVariants, RowRanges, SliceKernel};
use crate::entity::TableId;
use crate::storage::tracking::GROUP;
use crate::util::pool::Tasks;
use crate::util::simd::{self, Variants};

/// The rows that a query matches. They can be divided into tasks.
pub(crate) struct Partition<'w, 's, D: Fetch, F: FilterTerms> {
    matched: Matched<'w, 's, D, F>,
    driver: Option<Driver<'w>>,
    /// The rows of each table begin at a multiple of this number.
    align: usize,
    /// Total number of rows, including the gaps between tables.
    rows: usize,
}

/// The position of a thread in the list of matched tables. Most tasks come in ascending order, but the next task of a thread may
/// also be an earlier one.
#[derive(Clone, Copy, Default)]
pub(crate) struct MatchPosition {
    /// The index of a match. `start` is the number of its first row.
    at: usize,
    start: usize,
}

impl<'w, 's, D: Fetch, F: FilterTerms> Partition<'w, 's, D, F> {
    /// Creates the partition of the rows of all matched tables. `batch` is the number of rows of a task, if it is fixed.
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

    /// Divides the rows into tasks. `batch` is the number of rows of a task, if it is fixed.
    pub(crate) fn tasks(&self, batch: Option<usize>) -> Tasks {
        // If a filter checks rows of tables or of a packed set, it checks a group at a time, so each task consists of whole groups.
        let aligned = F::PER_ROW && self.driver.is_none_or(|driver| self.packed(&driver).is_some());
        match batch {
            Some(batch) if aligned => Tasks::of_size(self.rows, batch).rounded(),
            Some(batch) => Tasks::of_size(self.rows, batch),
            None if aligned => Tasks::of_groups(self.rows).joined(),
            None => Tasks::of(self.rows).joined(),
        }
    }

    fn packed(&self, driver: &Driver<'w>) -> Option<Block<'w, D, F>> {
        // SAFETY: `matched.driver()` returned this driver in `new`.
        unsafe { self.matched.packed(driver) }
    }

    /// Returns the number of rows in the table of a match.
    fn len(&self, at: usize) -> usize {
        let table = self.matched.cache().matches[at].table;
        self.matched.cell().store().structure.archetypes.tables.get(table).map_or(0, |table| table.len())
    }

    /// Calls `each` with the blocks of a task. The rows of the blocks may still need to be checked.
    pub(crate) fn blocks<E>(
        &self,
        reached: &mut MatchPosition,
        task: Range<usize>,
        mut each: impl FnMut(Block<'w, D, F>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(driver) = &self.driver {
            return self.driven(driver, task, each);
        }
        while reached.start > task.start && reached.at > 0 {
            let at = reached.at - 1;
            *reached = MatchPosition { at, start: reached.start - self.len(at).next_multiple_of(self.align) };
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
            *reached = MatchPosition { at: reached.at + 1, start: next };
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
            // SAFETY: `table` and `block` are unchanged since the last call, and `table` is `UNUSED` before the first one.
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
    /// - The access of the query is allowed for `'w` and conflicts with no other borrow.
    /// - No other code yields rows of the task.
    #[inline]
    pub(crate) unsafe fn for_each<Q: QueryData<Terms = D>>(
        &self,
        reached: &mut MatchPosition,
        task: Range<usize>,
        mut each: impl FnMut(Q::Item<'w, 's>),
    ) {
        let kept = Some(&self.matched.cache().data);
        let mut each = |(), item| each(item);
        let Ok(()) = self.blocks(reached, task, |block| {
            if per_row::<D, F>() {
                let (cursor, run) = RowCursor::of_block(self.matched, block);
                // SAFETY: the run is the first one of the cursor; the access and that no other code yields the rows are forwarded.
                unsafe { fold_asked::<Q, F, (), false>(cursor, run, kept, (), &mut each) };
            } else {
                // SAFETY: all rows match; the access and that no other code yields the rows are forwarded.
                let job = unsafe { FoldBlock::<Q, F, _, _, false>::of(block, kept, (), &mut each) };
                simd::run::<ItemVariants<D>, _>(job);
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
    /// - The conditions of [`Partition::for_each`] hold.
    pub(crate) unsafe fn for_each_slice(
        &self,
        reached: &mut MatchPosition,
        task: Range<usize>,
        mut each: impl FnMut(D::Slice<'w>),
    ) {
        let Ok(()) = self.blocks(reached, task, |block| {
            let (mut cursor, mut run) = RowCursor::of_block(self.matched, block);
            loop {
                while !run.is_empty() {
                    // SAFETY: the rows match; the access to them is forwarded, and no row is yielded twice.
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
    /// Calls the kernel with the rows of a task as slices, until the kernel fails.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Partition::for_each`] hold.
    #[inline]
    pub(crate) unsafe fn for_each_range<V: Variants, K: SliceKernel<D>>(
        &self,
        reached: &mut MatchPosition,
        task: Range<usize>,
        kernel: &mut K,
    ) -> Result<(), K::Error> {
        self.blocks(reached, task, |block| {
            // SAFETY: the block belongs to the query; the access is forwarded.
            unsafe { RowRanges::of(self.matched, block) }.for_each::<V, K>(kernel)
        })
    }
}
