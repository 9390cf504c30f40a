//! Loops that call a function with the rows of a query: `for_each`, `fold` and similar, also on several threads.
//!
//! There is one counted loop per table. The compiler optimises the loop well if it knows two things: that columns do not overlap
//! ([`Fetch::apart`]), and how changes of rows are recorded. For the latter there are three versions of the loop; the most common
//! one records nothing ([`Fetch::recording`]). With the variants for instruction sets there are six versions. The compiler would
//! inline the caller's function into so many loops only if the function is short. So the loop is copied as a whole after the
//! function was inlined into it: [`BlockLoop`].
//!
//! Tests: tests/queries/many_columns.rs, tests/queries/strides.rs, tests/compile/vectorization

use core::convert::Infallible;
use core::marker::PhantomData;
use core::ops::Range;

use super::block_loop::{BlockLoop, OneLoop, run_copy};
use super::blocks::Block;
use super::cursor::RowCursor;
use super::data::QueryData;
use super::fetch::{Fetch, Kept, Recording};
use super::filter::FilterTerms;
use super::matching_rows::RowBatch;
use super::row_ranges::ItemVariants;
use crate::storage::tracking::GROUP;
use crate::util::simd::{self, KernelJob, UnrollWidth};

/// Folds all rows of a cursor. No row has to be checked.
pub(super) struct FoldRows<'i, 'w, 's, D: QueryData, F: FilterTerms, B, G, L = OneLoop> {
    /// The cursor, which the fold consumes. This is a reference, because a move would copy the cursor in chunks of a different size
    /// than it was written in, which stalls the processor.
    cursor: &'i RowCursor<'w, 's, D::Terms, F>,
    run: Range<usize>,
    kept: Kept<'s, D::Terms>,
    init: B,
    each: G,
    block_loop: PhantomData<L>,
}

impl<'i, 'w, 's, D: QueryData, F: FilterTerms, B, G> FoldRows<'i, 'w, 's, D, F, B, G> {
    /// Creates the fold of the rest of the current run and of all later runs.
    ///
    /// # Safety
    ///
    /// - If `run` is not empty, it is part of the run that the cursor returned last.
    /// - The conditions of [`FoldBlock::of`] with `ALONE` hold for the rows of these runs.
    #[inline(always)]
    pub(super) unsafe fn of(
        cursor: &'i RowCursor<'w, 's, D::Terms, F>,
        run: Range<usize>,
        kept: Kept<'s, D::Terms>,
        init: B,
        each: G,
    ) -> Self {
        Self { cursor, run, kept, init, each, block_loop: PhantomData }
    }
}

impl<'w, 's, D: QueryData, F: FilterTerms, B, G: FnMut(B, D::Item<'w, 's>) -> B, L> KernelJob
    for FoldRows<'_, 'w, 's, D, F, B, G, L>
where
    L: for<'a> BlockLoop<FoldRange<'a, 'w, 's, D, F, B, G>, B>,
{
    type Out = B;

    #[inline(always)]
    fn run<S: UnrollWidth>(self) -> B {
        let Self { cursor, run, kept, init, mut each, .. } = self;
        let mut cursor = cursor.clone();
        let mut result = init;
        let mut next = if run.is_empty() { cursor.next_run() } else { Some(run) };
        while let Some(run) = next {
            // SAFETY: the run is not empty, so the cursor has returned it.
            let block = Block { first: run.start, end: run.end, ..*unsafe { cursor.block() } };
            match without_notes::<D::Terms>(block.data) {
                Some(data) => {
                    let block = Block { data, ..block };
                    result = FoldRange { block, kept, init: result, each: &mut each, is_noted: false }.run::<L>();
                }
                // This is a separate function, so that the loop over tables without change records has all registers. `each` is passed by
                // value, because a value that is borrowed elsewhere stays in memory.
                None => {
                    let noted = FoldNoted::<D, F, B, G, L> { block, kept, init: result, each, block_loop: PhantomData };
                    (result, each) = simd::run_apart::<ItemVariants<D::Terms>, _>(noted);
                }
            }
            next = cursor.next_run();
        }
        result
    }
}

/// Folds the rest of the current run and all later runs, for queries whose rows have to be checked. `ALONE` says that no other
/// thread has rows of the tables.
///
/// # Safety
///
/// - If `run` is not empty, it is part of the run that the cursor returned last.
/// - The access of `D` to the rows of the cursor is allowed for `'w` and conflicts with no other borrow. Only this call yields
///   them.
#[inline]
pub(super) unsafe fn fold_asked<'w, 's, D: QueryData, F: FilterTerms, B, const ALONE: bool>(
    mut cursor: RowCursor<'w, 's, D::Terms, F>,
    mut run: Range<usize>,
    kept: Kept<'s, D::Terms>,
    init: B,
    mut each: impl FnMut(B, D::Item<'w, 's>) -> B,
) -> B {
    let item = |block: &Block<'w, D::Terms, F>, row| {
        // SAFETY: for each use: the row belongs to the block, matches, and is yielded once; the access is allowed (forwarded).
        D::item(unsafe { D::Terms::fetch_row::<false>(block.data, block.rows, row) }, kept)
    };
    if let Some(rows) = cursor.blocks.led_one_by_one() {
        let mut result = Some(init);
        let mut put = |block: &Block<'w, D::Terms, F>, row| {
            result = result.take().map(|result| each(result, item(block, row)));
            Ok(())
        };
        let done: Result<(), Infallible> = rows.for_each(cursor.matched(), &mut put);
        let (Ok(()), Some(result)) = (done, result) else { unreachable!("a result was put back each time") };
        return result;
    }
    let (mut result, mut few) = (init, RowBatch::new());
    loop {
        if !few.all().is_empty() || !run.is_empty() {
            // SAFETY: the cursor has returned these rows.
            let block = *unsafe { cursor.block() };
            for &row in few.all() {
                result = each(result, item(&block, row as usize));
            }
            if block.all_packed().is_some() {
                let block = Block { first: run.start, end: run.end, ..block };
                // SAFETY: the rows of the run match; the access to them and `ALONE` are forwarded.
                let job = unsafe { FoldBlock::<D, F, _, _, ALONE>::of(block, kept, result, &mut each) };
                result = simd::run::<ItemVariants<D::Terms>, _>(job);
            } else {
                for row in run {
                    result = each(result, item(&block, row));
                }
            }
        }
        match cursor.next_batch(&mut few) {
            Some(next) => run = next,
            None => return result,
        }
    }
}

/// Folds the rows of a block. No row has to be checked. `ALONE` says that no other thread has rows of the table.
pub(super) struct FoldBlock<'a, 'w, 's, D: QueryData, F: FilterTerms, B, G, const ALONE: bool, L = OneLoop> {
    block: Block<'w, D::Terms, F>,
    kept: Kept<'s, D::Terms>,
    init: B,
    each: &'a mut G,
    block_loop: PhantomData<L>,
}

impl<'a, 'w, 's, D: QueryData, F: FilterTerms, B, G, const ALONE: bool> FoldBlock<'a, 'w, 's, D, F, B, G, ALONE> {
    /// # Safety
    ///
    /// - The rows of the block match.
    /// - The access of `D` to them is allowed for `'w` and conflicts with no other borrow. Only this fold yields them, in the run
    ///   of the query.
    /// - If `ALONE` is true, no other thread has rows of the table.
    #[inline(always)]
    pub(super) unsafe fn of(block: Block<'w, D::Terms, F>, kept: Kept<'s, D::Terms>, init: B, each: &'a mut G) -> Self {
        Self { block, kept, init, each, block_loop: PhantomData }
    }
}

impl<'w, 's, D: QueryData, F: FilterTerms, B, G: FnMut(B, D::Item<'w, 's>) -> B, const ALONE: bool, L> KernelJob
    for FoldBlock<'_, 'w, 's, D, F, B, G, ALONE, L>
where
    L: for<'a> BlockLoop<FoldRange<'a, 'w, 's, D, F, B, G>, B>,
{
    type Out = B;

    #[inline(always)]
    fn run<S: UnrollWidth>(self) -> B {
        let Self { block, kept, init, each, .. } = self;
        if let Some(data) = without_notes::<D::Terms>(block.data) {
            let block = Block { data, ..block };
            return FoldRange { block, kept, init, each, is_noted: false }.run::<L>();
        }
        // SAFETY: promised to `of`: the rows match, the access is allowed, and `ALONE` is true only if no other thread has rows of
        // the table.
        unsafe { noting::<D, F, B, G, ALONE, L>(block, kept, init, each) }
    }
}

/// Returns the fetch state for a loop that records no changes, or `None` if changes of the table may have to be recorded.
#[inline(always)]
fn without_notes<T: Fetch>(ready: T::TableFetch<'_>) -> Option<T::TableFetch<'_>> {
    if T::FACTS.notes_changes { T::recording(ready, Recording::Nothing) } else { Some(ready) }
}

/// Folds the rows of a block and records changes. No row has to be checked, and no other thread has rows of the table.
struct FoldNoted<'w, 's, D: QueryData, F: FilterTerms, B, G, L> {
    block: Block<'w, D::Terms, F>,
    kept: Kept<'s, D::Terms>,
    init: B,
    each: G,
    block_loop: PhantomData<L>,
}

impl<'w, 's, D: QueryData, F: FilterTerms, B, G: FnMut(B, D::Item<'w, 's>) -> B, L> KernelJob
    for FoldNoted<'w, 's, D, F, B, G, L>
where
    L: for<'a> BlockLoop<FoldRange<'a, 'w, 's, D, F, B, G>, B>,
{
    type Out = (B, G);

    #[inline(always)]
    fn run<S: UnrollWidth>(self) -> (B, G) {
        let Self { block, kept, init, mut each, .. } = self;
        // SAFETY: promised to `FoldRows::of`, which makes this: the rows match, the access is allowed, and no other thread has rows
        // of the table.
        let result = unsafe { noting::<D, F, B, G, true, L>(block, kept, init, &mut each) };
        (result, each)
    }
}

/// Folds the rows of a block and records changes, in ticks alone if that is enough.
///
/// # Safety
///
/// - The conditions of [`FoldBlock::of`] hold.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn noting<'w, 's, D: QueryData, F: FilterTerms, B, G: FnMut(B, D::Item<'w, 's>) -> B, const ALONE: bool, L>(
    block: Block<'w, D::Terms, F>,
    kept: Kept<'s, D::Terms>,
    init: B,
    each: &mut G,
) -> B
where
    L: for<'a> BlockLoop<FoldRange<'a, 'w, 's, D, F, B, G>, B>,
{
    let (mut result, mut at) = (init, block.first);
    // Recording changes row by row may exceed the limit of the log. From then on, only ticks are recorded.
    while at < block.end {
        if ALONE && let Some(data) = block.noted(at) {
            let block = Block { data, first: at, ..block };
            result = FoldRange { block, kept, init: result, each, is_noted: true }.run::<L>();
            simd::between_blocks();
            break;
        }
        let end = if ALONE { (at / GROUP * GROUP + GROUP).min(block.end) } else { block.end };
        let block = Block { first: at, end, ..block };
        result = FoldRange { block, kept, init: result, each, is_noted: false }.run::<L>();
        simd::between_blocks();
        at = end;
    }
    result
}

/// The loop over rows whose changes are all recorded in the same way.
pub(super) struct FoldRange<'a, 'w, 's, D: QueryData, F: FilterTerms, B, G> {
    block: Block<'w, D::Terms, F>,
    kept: Kept<'s, D::Terms>,
    init: B,
    each: &'a mut G,
    /// Whether [`Block::noted`] returned the data.
    is_noted: bool,
}

impl<D: QueryData, F: FilterTerms, B, G> FoldRange<'_, '_, '_, D, F, B, G> {
    /// Runs a copy of the loop.
    #[inline(always)]
    fn run<L: BlockLoop<Self, B>>(self) -> B {
        run_copy::<L, _, _>(self)
    }
}

impl<'a, 'w, 's, D: QueryData, F: FilterTerms, B, G: FnMut(B, D::Item<'w, 's>) -> B>
    BlockLoop<FoldRange<'a, 'w, 's, D, F, B, G>, B> for OneLoop
{
    /// Runs the loop. The compiler knows that the columns do not overlap.
    #[inline(always)]
    fn run(job: FoldRange<'a, 'w, 's, D, F, B, G>) -> B {
        let FoldRange { block: Block { data, rows, first, end, .. }, kept, init, each, is_noted } = job;
        let fold = |data| {
            let mut result = init;
            for row in first..end {
                // SAFETY: the row belongs to the block and is yielded once. The access is allowed, as promised to `FoldBlock::of`.
                let got = unsafe {
                    if D::Terms::FACTS.notes_changes && is_noted {
                        D::Terms::fetch_row::<true>(data, rows, row)
                    } else {
                        D::Terms::fetch_row::<false>(data, rows, row)
                    }
                };
                result = each(result, D::item(got, kept));
            }
            result
        };
        // SAFETY: promised to `FoldBlock::of`: the rows belong to the block and match, and the access is allowed for 'w and
        // conflicts with no other borrow. They are accessed only through the argument of `fold`.
        unsafe { D::Terms::apart::<Self, B>(data, first..end, fold) }
    }

    #[inline]
    fn find(run: &mut Option<fn(FoldRange<'a, 'w, 's, D, F, B, G>) -> B>) {
        *run = Some(Self::run);
    }
}
