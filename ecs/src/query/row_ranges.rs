//! Going through the rows of a query as slices, with a function that is compiled for several instruction sets.
//!
//! A loop is a *job* of [`simd`](crate::simd): a value with one function, which `simd::run` calls in a function for which
//! the compiler may use a wider instruction set. This reaches as far as inlining does: what is not inlined is compiled for
//! the baseline, which is right, and slow. So all parts of a job are `#[inline(always)]`, from `Job::run` through the terms
//! of the query to the kernel and the user's function in it. The *unroll width* is how many rows the kernel gets at a time;
//! it goes by the size of the largest value in a row (`TermFacts::widest`), and the rows that are left go by halves. Loops over
//! values that one cannot compute with have no variants, and those over values of several numbers, or item by item, none for AVX-512.
//! `benches/shapes.rs` measures them.
//!
//! Code that changes rows records the change in two steps. A *visit* is of a column: its stamp, and the beginning of a new
//! log. It happens when the columns of a table are made ready. A *mark* is of rows that are given out as slices
//! (`ContiguousFetch::mark`). A plain loop does both on its way. A pipeline does both beforehand, for all rows of all tables
//! (`RowRanges::visit`), since a visit for each block would begin a new log each time; its blocks have a cell that says so
//! (`StoreCell::again`). In between no other code may look at these notes, nor mark single rows; `RowFacts::ticked` ensures
//! that.

use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use super::block_loop::{BlockLoop, OneLoop, run_copy};
use super::blocks::{Block, Matched, per_row, sharing};
use super::cursor::RowCursor;
use super::fetch::{ContiguousFetch, Fetch, Rows, Sharing};
use super::filter::FilterTerms;
use super::matching_rows::FewRows;
use crate::cell::StoreCell;
use crate::entity::TableId;
use crate::simd::{self, Job, MOST_ROWS, SMALL, UnrollWidth, Variants, Wide};

/// A function of several rows that stand one behind the other.
pub(crate) trait SliceKernel<D: ContiguousFetch> {
    /// What ends the loop.
    type Error;

    /// Goes through rows, of which it gets the number. To be `#[inline(always)]`, with what it calls.
    fn run(&mut self, len: usize, rows: D::Slice<'_>) -> Result<(), Self::Error>;

    /// Whether [`skip_row`](Self::skip_row) is to be called.
    const VISITS_SKIPPED: bool = false;

    /// Gets a row that [`RowRanges::plainly`] skips as it does not match.
    fn skip_row(&mut self, cell: StoreCell<'_>, table: TableId, row: usize) {
        let _ = (cell, table, row);
    }

    /// Whether [`run_listed`](Self::run_listed) may be called.
    const LISTED: bool = false;

    /// Goes through the rows of a list, by their places in the `len` rows that it gets, in one call: what it does at its beginning and
    /// end is done once. To be `#[inline(always)]` as well.
    fn run_listed(&mut self, len: usize, list: &[u32], rows: D::Slice<'_>) -> Result<(), Self::Error> {
        let _ = (len, list, rows);
        unreachable!("a function of rows that stand one behind the other gets a list")
    }
}

/// Which of the rows that it gets a loop goes through: those with these numbers, or all.
///
/// It is handed over as an argument of its own, so that the compiler knows that what the rows change is no part of the list.
pub type RowList<'a> = Option<&'a [u32]>;

/// The numbers of the rows of `len` that a loop goes through.
#[inline(always)]
pub fn listed_rows(len: usize, list: RowList<'_>) -> ListedRows<'_> {
    match list {
        None => ListedRows::All(0..len),
        Some(list) => ListedRows::Some(list.iter()),
    }
}

/// See [`listed_rows`].
#[derive(Clone, Debug)]
pub enum ListedRows<'a> {
    /// Rows one behind the other.
    All(Range<usize>),
    /// Those of a list.
    Some(slice::Iter<'a, u32>),
}

impl Iterator for ListedRows<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        match self {
            Self::All(rows) => rows.next(),
            Self::Some(rows) => rows.next().map(|&row| row as usize),
        }
    }
}

/// Rows to go through: all that a query matches, or some of a block.
pub(crate) struct RowRanges<'w, 's, D: ContiguousFetch, F: FilterTerms> {
    /// The first run, if it is known.
    run: Range<usize>,
    cursor: RowCursor<'w, 's, D, F>,
    /// Whether it has been noted already that these rows are given out.
    is_marked: bool,
}

impl<'w, 's, D: ContiguousFetch, F: FilterTerms> RowRanges<'w, 's, D, F> {
    /// All rows.
    ///
    /// # Safety
    ///
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    #[inline]
    pub(crate) unsafe fn all(matched: Matched<'w, 's, D, F>) -> Self {
        Self { run: 0..0, cursor: RowCursor::new(matched), is_marked: false }
    }

    /// The rows of a block.
    ///
    /// # Safety
    ///
    /// - As for [`RowRanges::all`], but that it is enough if the access is allowed for the rows of the block. The block is one
    ///   of the query's.
    #[inline]
    pub(crate) unsafe fn of(matched: Matched<'w, 's, D, F>, block: Block<'w, D, F>) -> Self {
        let (cursor, run) = RowCursor::of_block(matched, block);
        Self { run, cursor, is_marked: false }
    }

    /// Comes to all tables without reading or writing rows: notes that all rows are given out. They are then to be got from
    /// [`RowRanges::some`].
    ///
    /// # Safety
    ///
    /// - As for [`RowRanges::all`], but that values need not be accessible yet: but no other code may read or write
    ///   when they were changed meanwhile.
    /// - No row has to be asked whether it matches, and slices may have many rows.
    pub(crate) unsafe fn visit(matched: Matched<'w, 's, D, F>) {
        // Known when it is compiled, so it costs nothing. That it is so was found out when a schedule was planned.
        assert!(!per_row::<D, F>() && !D::SINGLE_ROWS, "rows that have to be asked one by one are marked together");
        for block in matched.blocks().filter(|block| block.end != 0) {
            // SAFETY: the rows are those of the block; that nothing else reads or writes their ticks is forwarded.
            unsafe { D::mark(block.data, block.rows, 0, block.end, sharing::<D, F>()) };
        }
    }

    /// Some rows of a table, if it is one of the query's. The visit of all of them has been noted before.
    ///
    /// # Safety
    ///
    /// - As for [`RowRanges::of`], of these rows, which are rows of the table.
    #[inline]
    pub(crate) unsafe fn some(matched: Matched<'w, 's, D, F>, table: TableId, rows: Range<usize>) -> Option<Self> {
        let matched = matched.again();
        let block = matched.block_of(table)?;
        // Once for each block: the rows were counted when the pipeline began.
        assert!(rows.start <= rows.end && rows.end <= block.end, "rows that the table does not have");
        let block = Block { first: rows.start, end: rows.end, ..block };
        // SAFETY: forwarded: the block is one of the query's, and what the filter reads is part of the access.
        let ranges = unsafe { Self::of(matched, block) };
        Some(Self { is_marked: true, ..ranges })
    }

    /// Calls a function with some rows of a table, as far as they match, without variants of it for instruction sets.
    ///
    /// # Errors
    ///
    /// Those of the function, with which it ends.
    ///
    /// # Safety
    ///
    /// - As for [`RowRanges::all`], for as long as this runs.
    ///
    /// # Panics
    ///
    /// If they are not rows of the table.
    #[inline(always)]
    pub(crate) unsafe fn plainly<K: SliceKernel<D>>(
        matched: Matched<'w, 's, D, F>,
        table: TableId,
        rows: Range<usize>,
        kernel: &mut K,
    ) -> Result<(), K::Error> {
        let Some(block) = matched.block_of(table) else {
            if K::VISITS_SKIPPED {
                rows.for_each(|row| kernel.skip_row(matched.cell(), table, row));
            }
            return Ok(());
        };
        assert!(rows.start <= rows.end && rows.end <= block.end, "rows that the table does not have");
        // SAFETY: here and below, the rows are rows of the block that match; the access is allowed, as the caller promises, and what
        // the function gets ends with its call.
        unsafe {
            if per_row::<D, F>() || D::SINGLE_ROWS {
                for row in rows {
                    if block.contains_row(row) {
                        kernel.run(1, block.slice(row, 1))?;
                    } else if K::VISITS_SKIPPED {
                        kernel.skip_row(matched.cell(), table, row);
                    }
                }
                Ok(())
            } else {
                kernel.run(rows.len(), block.slice(rows.start, rows.len()))
            }
        }
    }

    /// Calls a function with all ranges of rows, until it fails.
    #[inline(always)]
    pub(crate) fn for_each<V: Variants, K: SliceKernel<D>>(self, kernel: &mut K) -> Result<(), K::Error> {
        simd::run::<Of<V, D>, _>(Loop::<D, F, K> { ranges: &self, kernel, block_loop: PhantomData })
    }
}

/// The variants of a loop over such rows.
pub(crate) struct Of<V, D>(PhantomData<(V, D)>);

impl<V, D> simd::Sealed for Of<V, D> {}

impl<V: Variants, D: Fetch> Variants for Of<V, D> {
    const WIDE: bool = V::WIDE && D::FACTS.widest != 0;
    const AVX512: bool = V::AVX512 || D::FACTS.widest <= SMALL;
    type Baseline = V::Baseline;
    type Avx2 = V::Avx2;
    type Avx512 = V::Avx512;
}

/// How many rows a kernel gets at a time.
const fn at_a_time<S: UnrollWidth, D: ContiguousFetch>() -> usize {
    // A slice is two words.
    let rows = if size_of::<D::Slice<'static>>() > 4 * size_of::<&[u8]>() {
        S::OF_MANY
    } else if D::FACTS.widest <= SMALL {
        S::OF_SMALL
    } else {
        S::OF_LARGE
    };
    assert!(rows.is_power_of_two() && rows <= MOST_ROWS, "rows that are left are gone through by halves");
    rows
}

/// The variants of a loop over items, which gets one row at a time. Many rows take as long with AVX-512 as with AVX2, and the beginning
/// and the end of few rows take longer.
pub(crate) struct OfItems<D>(PhantomData<D>);

impl<D> simd::Sealed for OfItems<D> {}

impl<D: Fetch> Variants for OfItems<D> {
    const WIDE: bool = <Of<Wide, D> as Variants>::WIDE;
    const AVX512: bool = false;
    type Baseline = <Wide as Variants>::Baseline;
    type Avx2 = <Wide as Variants>::Avx2;
    type Avx512 = <Wide as Variants>::Avx512;
}

/// The loop over all ranges.
struct Loop<'k, 'w, 's, D: ContiguousFetch, F: FilterTerms, K, L = OneLoop> {
    /// Used up by this.
    ranges: &'k RowRanges<'w, 's, D, F>,
    kernel: &'k mut K,
    block_loop: PhantomData<L>,
}

impl<D: ContiguousFetch, F: FilterTerms, K: SliceKernel<D>, L> Job for Loop<'_, '_, '_, D, F, K, L>
where
    L: for<'a, 'b> BlockLoop<SliceRows<'a, 'b, D, K>, Result<(), K::Error>>,
{
    type Out = Result<(), K::Error>;

    #[inline(always)]
    fn run<S: UnrollWidth>(self) -> Self::Out {
        let Self { ranges: &RowRanges { ref cursor, ref run, is_marked }, kernel, .. } = self;
        if let Some(rows) = cursor.blocks.led_one_by_one() {
            return rows.for_each(cursor.matched(), |block: &Block<'_, D, F>, row| {
                // SAFETY: the row is one of the block's table and matches; the access is allowed, as promised to `all`, and no row is given
                // out twice: a driver leads to each entity once.
                kernel.run(1, unsafe { block.slice(row, 1) })
            });
        }
        // As variables of their own these stay in registers from table to table.
        let (mut cursor, mut run, mut few) = (cursor.clone(), run.clone(), FewRows::new());
        loop {
            if per_row::<D, F>() && !few.all().is_empty() {
                // SAFETY: the cursor has returned rows. They match, and they are given out next, once; the access is allowed, as promised
                // to `all` or `of`.
                unsafe { run_few(kernel, cursor.block(), &mut few)? };
            }
            if !run.is_empty() {
                // SAFETY: the cursor has returned the run.
                let block = unsafe { cursor.block() };
                if block.has_single_rows() {
                    while !run.is_empty() {
                        // SAFETY: the rows of the run match; the access is allowed, as promised to `all` or `of`, and no row is given
                        // out twice.
                        kernel.run(1, unsafe { block.next_slice(&mut run) })?;
                    }
                } else {
                    let Block { data, rows, .. } = *block;
                    // SAFETY: the rows of the run match; the rest as above.
                    unsafe {
                        if !is_marked {
                            D::mark(data, rows, run.start, run.len(), sharing::<D, F>());
                        }
                        in_blocks::<S, D, K, L>(kernel, data, rows, run.start, run.end)?;
                    }
                }
            }
            match cursor.next_batch(&mut few) {
                Some(next) => run = next,
                None => return Ok(()),
            }
        }
    }
}

/// Whether single rows are gone through by their places in slices of all rows of their block.
const fn listed<D: ContiguousFetch, F: FilterTerms, K: SliceKernel<D>>() -> bool {
    K::LISTED && !D::PER_ROW && !D::SINGLE_ROWS && matches!(sharing::<D, F>(), Sharing::Nothing)
}

/// Single rows of a block.
///
/// # Safety
///
/// - The rows are rows of the block, and match. The access to them is allowed, and they are given out by this alone.
#[inline(always)]
unsafe fn run_few<D: ContiguousFetch, F: FilterTerms, K: SliceKernel<D>>(
    kernel: &mut K,
    block: &Block<'_, D, F>,
    few: &mut FewRows,
) -> Result<(), K::Error> {
    if const { listed::<D, F, K>() } {
        for &row in few.all() {
            // SAFETY: the row is one of the block and matches; the access is forwarded.
            unsafe { D::mark(block.data, block.rows, row as usize, 1, sharing::<D, F>()) };
        }
        let columns = block.end - block.first;
        // SAFETY: the rows are those of the block, of which none has to be asked for what is read, and what was given out of them before
        // has ended. The access to all of them is allowed, also where the filter lets a row not through: `listed` says that no other
        // query may have rows of the table whose values this one may change, or change those that it reads.
        let rows = unsafe { D::slice(block.data, block.rows, block.first, columns) };
        return kernel.run_listed(columns, few.all_from(block.first), rows);
    }
    few.all().iter().try_for_each(|&row| {
        // SAFETY: the row is one of the block and matches; the access is forwarded, and no row is given out twice.
        kernel.run(1, unsafe { block.slice(row as usize, 1) })
    })
}

/// One call of a kernel, with rows that stand one behind the other.
///
/// Row systems read parameters in their loops, and the compiler is to know that what the rows change is no part of them: a bound that
/// is compared with in each row is loaded and checked once. See [`BlockLoop`] for why the call is copied as a whole.
struct SliceRows<'k, 'b, D: ContiguousFetch, K> {
    kernel: &'k mut K,
    data: D::TableFetch<'b>,
    rows: Rows,
    first: usize,
    /// No range, of which the compiler does not see that it has as many rows as it was made with.
    count: usize,
}

impl<'k, 'b, D: ContiguousFetch, K: SliceKernel<D>> SliceRows<'k, 'b, D, K> {
    /// # Safety
    ///
    /// - As for [`ContiguousFetch::slice`], for these rows, until the call has returned.
    #[inline(always)]
    unsafe fn of(kernel: &'k mut K, data: D::TableFetch<'b>, rows: Rows, (first, count): (usize, usize)) -> Self {
        Self { kernel, data, rows, first, count }
    }
}

impl<'k, 'b, D: ContiguousFetch, K: SliceKernel<D>> BlockLoop<SliceRows<'k, 'b, D, K>, Result<(), K::Error>>
    for OneLoop
{
    #[inline(always)]
    fn run(job: SliceRows<'k, 'b, D, K>) -> Result<(), K::Error> {
        let SliceRows { kernel, data, rows, first, count } = job;
        // SAFETY: the rows are rows of the table, none of which has to be asked; the access is allowed, no other borrow is in its way, and
        // the kernel is given what it accesses out of the data that `apart` passes on alone: all of this was promised to `of`.
        unsafe {
            D::apart::<Self, _>(data, first..first + count, |data| {
                kernel.run(count, D::slice(data, rows, first, count))
            })
        }
    }

    #[inline]
    fn find(run: &mut Option<fn(SliceRows<'k, 'b, D, K>) -> Result<(), K::Error>>) {
        *run = Some(Self::run);
    }
}

/// The rows from `first` to `end`, so many at a time as the unroll width says.
///
/// # Safety
///
/// - As for [`ContiguousFetch::slice`], for these rows.
#[inline(always)]
unsafe fn in_blocks<S: UnrollWidth, D: ContiguousFetch, K: SliceKernel<D>, L>(
    kernel: &mut K,
    data: D::TableFetch<'_>,
    rows: Rows,
    mut first: usize,
    end: usize,
) -> Result<(), K::Error>
where
    L: for<'a, 'b> BlockLoop<SliceRows<'a, 'b, D, K>, Result<(), K::Error>>,
{
    let at_a_time = const { at_a_time::<S, D>() };
    macro_rules! run {
        ($count:expr) => {
            // SAFETY: the caller's promise; that there are as many rows left has been asked.
            run_copy::<L, _, _>(unsafe { SliceRows::<D, K>::of(kernel, data, rows, (first, $count)) })?
        };
    }
    if at_a_time == 1 {
        run!(end - first);
        return Ok(());
    }
    if const { S::LOOPS_OVER_SMALL && D::FACTS.widest <= SMALL } {
        let most = (end - first) & !(at_a_time - 1);
        if most != 0 {
            run!(most);
            first += most;
        }
    } else {
        while end - first >= at_a_time {
            simd::between_blocks();
            run!(at_a_time);
            first += at_a_time;
        }
    }
    // By halves, and not in a loop, which would be vectorised for many rows although there are few. What is left of the halves
    // before has the same lower bits.
    let left = end - first;
    macro_rules! halves {
        ($($count:literal)*) => {$(
            if at_a_time > $count && left & $count != 0 {
                run!($count);
                first += $count;
            }
        )*};
    }
    const { assert!(MOST_ROWS == 64) };
    halves!(32 16 8 4 2 1);
    debug_assert_eq!(first, end);
    Ok(())
}
