//! The row cursor: the rows that a query matches, as ranges.
//!
//! A run is a range of rows of one [`Block`], all of which match. The cursor decides which tables or sparse storages are visited,
//! applies the filter, and steps from run to run in ascending order. Every loop over a query uses a cursor. Iterators take one row
//! at a time, `fold` and row systems one run at a time, and slices whole runs. Parallel loops use one cursor per task.
//!
//! When a cursor steps to a group of rows, it decides which rows of the group match. So no row is returned twice, even if ticks and
//! logs change while the loop runs.
//!
//! Tests: ecs/src/world/tests/row_cursor.rs

use core::mem::MaybeUninit;
use core::ops::Range;

use super::block_iter::BlockIter;
use super::blocks::{Block, Matched, per_row};
use super::fetch::Fetch;
use super::filter::FilterTerms;
use super::matching_rows::{MatchingRows, RowBatch};
use crate::entity::{Entity, TableId};

/// Steps through the rows that a query matches, run by run.
pub(crate) struct RowCursor<'w, 's, D: Fetch, F: FilterTerms> {
    pub(super) blocks: BlockIter<'w, 's, D, F>,
    /// The block of the current run. It is initialized once the cursor has returned a run.
    block: MaybeUninit<Block<'w, D, F>>,
    /// The table of the block. Used if the iteration follows a sparse storage row by row.
    table: TableId,
    /// The remaining rows of the block, if the filter checks each row.
    rest: Option<MatchingRows<'w>>,
}

impl<D: Fetch, F: FilterTerms> Clone for RowCursor<'_, '_, D, F> {
    #[inline]
    fn clone(&self) -> Self {
        Self { blocks: self.blocks.clone(), block: self.block, table: self.table, rest: self.rest }
    }
}

impl<'w, 's, D: Fetch, F: FilterTerms> RowCursor<'w, 's, D, F> {
    /// Creates a cursor over all matching rows.
    #[inline]
    pub(crate) fn new(matched: Matched<'w, 's, D, F>) -> Self {
        Self { blocks: BlockIter::new(matched), block: MaybeUninit::uninit(), table: TableId::UNUSED, rest: None }
    }

    /// Creates a cursor over the matching rows of one block. Also returns the first run, which is empty if rows have to be checked.
    /// The cursor uses no change log, so the rows of a table can be divided between several cursors.
    #[inline]
    pub(crate) fn of_block(matched: Matched<'w, 's, D, F>, block: Block<'w, D, F>) -> (Self, Range<usize>) {
        let blocks = BlockIter::nothing(matched);
        let mut cursor = Self { blocks, block: MaybeUninit::uninit(), table: TableId::UNUSED, rest: None };
        let run = cursor.enter(block, MatchingRows::unlogged);
        (cursor, run)
    }

    /// Returns the store and the matched tables.
    #[inline]
    pub(crate) fn matched(&self) -> Matched<'w, 's, D, F> {
        self.blocks.matched
    }

    /// Returns the block of the current run.
    ///
    /// # Safety
    ///
    /// - The cursor has returned a run.
    #[inline(always)]
    pub(crate) unsafe fn block(&self) -> &Block<'w, D, F> {
        // SAFETY: forwarded: the block is initialized before the cursor returns a run.
        unsafe { self.block.assume_init_ref() }
    }

    /// Calls a function with the entities of each remaining run.
    pub(crate) fn for_each_entities(mut self, mut each: impl FnMut(&[Entity])) {
        while let Some(run) = self.next_run() {
            // SAFETY: the cursor has returned the run, so its rows belong to the cursor's block.
            each(unsafe { self.block().rows.entities(run.start, run.len()) });
        }
    }

    /// Steps to the next run and returns it. A run is never empty.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_run(&mut self) -> Option<Range<usize>> {
        if per_row::<D, F>() {
            return self.next_matching_run();
        }
        let block = self.blocks.next()?;
        let run = block.first..block.end;
        self.block.write(block);
        Some(run)
    }

    /// Implements [`next_run`](Self::next_run) for queries whose rows have to be checked.
    #[inline]
    fn next_matching_run(&mut self) -> Option<Range<usize>> {
        loop {
            if let Some(rest) = &mut self.rest {
                // SAFETY: `rest` is set after the block that it belongs to; the filter may read its values, as promised to
                // `Matched::new`.
                if let Some(run) = unsafe { rest.next_run(self.block.assume_init_ref()) } {
                    return Some(run);
                }
            }
            if self.blocks.is_led() {
                // SAFETY: the block of this table is in `block` if the table is set; the cache is up to date, as promised to `Matched::new`.
                let row = unsafe { self.blocks.next_led(&mut self.table, &mut self.block) }?;
                return Some(row..row + 1);
            }
            let block = self.blocks.next()?;
            let run = self.enter(block, MatchingRows::of);
            if !run.is_empty() {
                return Some(run);
            }
        }
    }

    /// Steps to the next matching rows: single rows, which are stored in `few`, followed by a run, which is returned. At least one
    /// of the two is not empty.
    #[inline(always)]
    pub(crate) fn next_batch(&mut self, few: &mut RowBatch) -> Option<Range<usize>> {
        if !per_row::<D, F>() {
            return self.next_run();
        }
        few.clear();
        loop {
            if let Some(rest) = &mut self.rest {
                // SAFETY: `rest` is set after the block that it belongs to; the filter may read its values, as promised to
                // `Matched::new`.
                let run = unsafe { rest.next_few(self.block.assume_init_ref(), few) };
                if !few.all().is_empty() || !run.is_empty() {
                    return Some(run);
                }
            }
            let block = self.blocks.next()?;
            let run = self.enter(block, MatchingRows::of);
            if !run.is_empty() {
                return Some(run);
            }
        }
    }

    /// Makes `block` the current block. If all rows of the block match, returns them. Otherwise sets `rest`, which yields the
    /// matching rows, and returns an empty run.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter(
        &mut self,
        block: Block<'w, D, F>,
        rest: impl FnOnce(&Block<'w, D, F>) -> MatchingRows<'w>,
    ) -> Range<usize> {
        let packed = block.all_packed();
        if per_row::<D, F>() && packed.is_none() {
            self.rest = Some(rest(&block));
            self.block.write(block);
            return 0..0;
        }
        let run = block.first..block.end;
        self.rest = None;
        self.block.write(Block { data: packed.unwrap_or(block.data), ..block });
        run
    }
}
