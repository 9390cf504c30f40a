//! Visits the rows of a query as slices, with a function that is compiled for several instruction sets.
//!
//! A loop is a *job* of [`simd`](crate::simd): a value with one function. `simd::run` calls this function inside another function
//! that may use a wider instruction set. This only affects code that is inlined there: other code is compiled for the baseline,
//! which is correct but slow. So all parts of a job are `#[inline(always)]`, from `KernelJob::run` through the terms of the query
//! to the kernel and the user's function in it. The *unroll width* is the number of rows that the kernel gets at a time. It depends
//! on the size of the largest value in a row (`TermFacts::widest`). The remaining rows are processed in powers of two. Loops over
//! non-numeric values have no variants. Loops over values of several numbers, and loops over items, have no AVX-512 variant.
//! `benches/shapes.rs` measures the variants.
//!
//! Changes of rows are recorded in two steps. A *visit* concerns a column: it sets the column's stamp and may begin a new log. It
//! happens when the columns of a table are prepared. A *mark* concerns rows that are returned as slices (`ContiguousFetch::mark`).
//! A plain loop does both as it proceeds. A pipeline does both in advance, for all rows of all tables (`RowRanges::visit`), since a
//! visit for each block would begin a new log each time. The blocks of a pipeline use a cell that does not record visits again
//! (`StoreCell::again`). After the marks and before the last block, no other code may read these records or mark single rows;
//! `RowFacts::ticked` ensures that.
//!
//! Tests: tests/simd/identity.rs, tests/compile/vectorization

use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use super::block_loop::{BlockLoop, OneLoop, run_copy};
use super::blocks::{Block, Matched, per_row, sharing};
use super::cursor::RowCursor;
use super::fetch::{ContiguousFetch, Fetch, Rows, Sharing};
use super::filter::FilterTerms;
use super::matching_rows::RowBatch;
use crate::entity::TableId;
use crate::structure::cell::StoreCell;
use crate::util::simd::{self, KernelJob, MOST_ROWS, SMALL, UnrollWidth, Variants, Wide};

/// A function that processes several consecutive rows.
pub(crate) trait SliceKernel<D: ContiguousFetch> {
    /// The error that ends the loop.
    type Error;

    /// Processes `len` rows. Must be `#[inline(always)]`, with everything that it calls.
    fn run(&mut self, len: usize, rows: D::Slice<'_>) -> Result<(), Self::Error>;

    /// Whether [`skip_row`](Self::skip_row) is called.
    const VISITS_SKIPPED: bool = false;

    /// Called with a row that [`RowRanges::plainly`] skips because it does not match.
    fn skip_row(&mut self, cell: StoreCell<'_>, table: TableId, row: usize) {
        let _ = (cell, table, row);
    }

    /// Whether [`run_listed`](Self::run_listed) may be called.
    const LISTED: bool = false;

    /// Processes some of `len` rows in one call, so that the kernel is set up only once. `list` contains the indexes of these rows.
    /// Must be `#[inline(always)]` as well.
    fn run_listed(&mut self, len: usize, list: &[u32], rows: D::Slice<'_>) -> Result<(), Self::Error> {
        let _ = (len, list, rows);
        unreachable!("a function of rows that stand one behind the other gets a list")
    }
}

/// Indexes of the rows to visit; `None` visits all rows.
///
/// It is a separate argument, so that the compiler knows that changes of rows do not modify the list.
pub type RowList<'a> = Option<&'a [u32]>;

/// Iterates over the indexes of the rows to visit among `len` rows.
#[inline(always)]
pub fn listed_rows(len: usize, list: RowList<'_>) -> ListedRows<'_> {
    match list {
        None => ListedRows::All(0..len),
        Some(list) => ListedRows::Some(list.iter()),
    }
}

/// Iterates over the indexes of the rows to visit. Returned by [`listed_rows`].
#[derive(Clone, Debug)]
pub enum ListedRows<'a> {
    /// All rows, in order.
    All(Range<usize>),
    /// The rows of a list.
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

/// Rows to visit: all that a query matches, or some of a block.
pub(crate) struct RowRanges<'w, 's, D: ContiguousFetch, F: FilterTerms> {
    /// The first run, if it is known; otherwise empty.
    run: Range<usize>,
    cursor: RowCursor<'w, 's, D, F>,
    /// Whether the rows are already marked as changed.
    is_marked: bool,
}

impl<'w, 's, D: ContiguousFetch, F: FilterTerms> RowRanges<'w, 's, D, F> {
    /// Creates the ranges of all matching rows.
    ///
    /// # Safety
    ///
    /// - The access of `D` is allowed for `'w` and conflicts with no other borrow.
    #[inline]
    pub(crate) unsafe fn all(matched: Matched<'w, 's, D, F>) -> Self {
        Self { run: 0..0, cursor: RowCursor::new(matched), is_marked: false }
    }

    /// Creates the ranges of the matching rows of a block.
    ///
    /// # Safety
    ///
    /// - The conditions of [`RowRanges::all`] hold for the rows of the block. The block belongs to the query.
    #[inline]
    pub(crate) unsafe fn of(matched: Matched<'w, 's, D, F>, block: Block<'w, D, F>) -> Self {
        let (cursor, run) = RowCursor::of_block(matched, block);
        Self { run, cursor, is_marked: false }
    }

    /// Visits all tables without accessing values, and marks all rows as changed. Use [`RowRanges::some`] to get the rows
    /// afterwards.
    ///
    /// # Safety
    ///
    /// - The conditions of [`RowRanges::all`] hold, except that values need not be accessible yet. No other code reads or writes
    ///   the change ticks of the rows during the call.
    /// - No row has to be checked, and slices may have many rows.
    pub(crate) unsafe fn visit(matched: Matched<'w, 's, D, F>) {
        // The condition is a constant, evaluated at compile time. A schedule ensures it when it plans a pipeline.
        assert!(!per_row::<D, F>() && !D::SINGLE_ROWS, "rows that have to be asked one by one are marked together");
        for block in matched.blocks().filter(|block| block.end != 0) {
            // SAFETY: the rows belong to the block; that no other code reads or writes their ticks is forwarded.
            unsafe { D::mark(block.data, block.rows, 0, block.end, sharing::<D, F>()) };
        }
    }

    /// Creates the range of some rows of a table, if the query matches the table. [`RowRanges::visit`] must have recorded the visit
    /// of these rows.
    ///
    /// # Safety
    ///
    /// - The conditions of [`RowRanges::of`] hold for these rows. The rows exist in the table.
    #[inline]
    pub(crate) unsafe fn some(matched: Matched<'w, 's, D, F>, table: TableId, rows: Range<usize>) -> Option<Self> {
        let matched = matched.again();
        let block = matched.block_of(table)?;
        // The rows were counted when the pipeline began, so their range is checked again, once per block.
        assert!(rows.start <= rows.end && rows.end <= block.end, "rows that the table does not have");
        let block = Block { first: rows.start, end: rows.end, ..block };
        // SAFETY: forwarded: the block belongs to the query, and the access to its rows is allowed, including the values that the
        // filter reads.
        let ranges = unsafe { Self::of(matched, block) };
        Some(Self { is_marked: true, ..ranges })
    }

    /// Calls the kernel with the matching rows among some rows of a table, without variants for instruction sets.
    ///
    /// # Errors
    ///
    /// The first error of the kernel. It ends the loop.
    ///
    /// # Safety
    ///
    /// - The conditions of [`RowRanges::all`] hold for as long as this call runs.
    ///
    /// # Panics
    ///
    /// If the rows do not exist in the table.
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
        // SAFETY: here and below, the rows belong to the block and match; the access is allowed (forwarded), and the arguments of
        // the function do not outlive its call.
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

    /// Calls the kernel with all ranges of rows, until the kernel fails.
    #[inline(always)]
    pub(crate) fn for_each<V: Variants, K: SliceKernel<D>>(self, kernel: &mut K) -> Result<(), K::Error> {
        simd::run::<RangeVariants<V, D>, _>(RangeLoop::<D, F, K> { ranges: &self, kernel, block_loop: PhantomData })
    }
}

/// The kernel variants of a loop over slices of rows.
pub(crate) struct RangeVariants<V, D>(PhantomData<(V, D)>);

impl<V, D> simd::Sealed for RangeVariants<V, D> {}

impl<V: Variants, D: Fetch> Variants for RangeVariants<V, D> {
    const WIDE: bool = V::WIDE && D::FACTS.widest != 0;
    const AVX512: bool = V::AVX512 || D::FACTS.widest <= SMALL;
    type Baseline = V::Baseline;
    type Avx2 = V::Avx2;
    type Avx512 = V::Avx512;
}

/// Returns the number of rows that a kernel gets at a time.
const fn at_a_time<S: UnrollWidth, D: ContiguousFetch>() -> usize {
    // A slice is two words, so this tests whether an item has more than four slices.
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

/// The kernel variants of a loop over items, whose kernel gets one row at a time. For many rows AVX-512 is as fast as AVX2, and for
/// few rows it has more setup cost.
pub(crate) struct ItemVariants<D>(PhantomData<D>);

impl<D> simd::Sealed for ItemVariants<D> {}

impl<D: Fetch> Variants for ItemVariants<D> {
    const WIDE: bool = <RangeVariants<Wide, D> as Variants>::WIDE;
    const AVX512: bool = false;
    type Baseline = <Wide as Variants>::Baseline;
    type Avx2 = <Wide as Variants>::Avx2;
    type Avx512 = <Wide as Variants>::Avx512;
}

/// The job that loops over all ranges.
struct RangeLoop<'k, 'w, 's, D: ContiguousFetch, F: FilterTerms, K, L = OneLoop> {
    /// The ranges, which the loop consumes.
    ranges: &'k RowRanges<'w, 's, D, F>,
    kernel: &'k mut K,
    block_loop: PhantomData<L>,
}

impl<D: ContiguousFetch, F: FilterTerms, K: SliceKernel<D>, L> KernelJob for RangeLoop<'_, '_, '_, D, F, K, L>
where
    L: for<'a, 'b> BlockLoop<SliceRows<'a, 'b, D, K>, Result<(), K::Error>>,
{
    type Out = Result<(), K::Error>;

    #[inline(always)]
    fn run<S: UnrollWidth>(self) -> Self::Out {
        let Self { ranges: &RowRanges { ref cursor, ref run, is_marked }, kernel, .. } = self;
        if let Some(rows) = cursor.blocks.led_one_by_one() {
            return rows.for_each(cursor.matched(), |block: &Block<'_, D, F>, row| {
                // SAFETY: the row belongs to the block's table and matches; the access is allowed, as promised to `all`, and no row
                // is yielded twice, because a driver yields each entity once.
                kernel.run(1, unsafe { block.slice(row, 1) })
            });
        }
        // As local variables, the cursor, the run and the buffer stay in registers from table to table.
        let (mut cursor, mut run, mut few) = (cursor.clone(), run.clone(), RowBatch::new());
        loop {
            if per_row::<D, F>() && !few.all().is_empty() {
                // SAFETY: the cursor has returned these rows. They match and are yielded here, once; the access is allowed, as
                // promised to `all` or `of`.
                unsafe { run_few(kernel, cursor.block(), &mut few)? };
            }
            if !run.is_empty() {
                // SAFETY: the cursor has returned the run.
                let block = unsafe { cursor.block() };
                if block.has_single_rows() {
                    while !run.is_empty() {
                        // SAFETY: the rows of the run match; the access is allowed, as promised to `all` or `of`, and no row is
                        // yielded twice.
                        kernel.run(1, unsafe { block.next_slice(&mut run) })?;
                    }
                } else {
                    let Block { data, rows, .. } = *block;
                    // SAFETY: the rows of the run match; the access is allowed, as promised to `all` or `of`, and no row is yielded
                    // twice.
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

/// Returns whether single rows are visited by their indexes in slices of all rows of their block.
const fn listed<D: ContiguousFetch, F: FilterTerms, K: SliceKernel<D>>() -> bool {
    K::LISTED && !D::PER_ROW && !D::SINGLE_ROWS && matches!(sharing::<D, F>(), Sharing::Nothing)
}

/// Calls the kernel with single rows of a block.
///
/// # Safety
///
/// - The rows belong to the block and match. The access to them is allowed, and only this call yields them.
#[inline(always)]
unsafe fn run_few<D: ContiguousFetch, F: FilterTerms, K: SliceKernel<D>>(
    kernel: &mut K,
    block: &Block<'_, D, F>,
    few: &mut RowBatch,
) -> Result<(), K::Error> {
    if const { listed::<D, F, K>() } {
        for &row in few.all() {
            // SAFETY: the row belongs to the block and matches; the access is forwarded.
            unsafe { D::mark(block.data, block.rows, row as usize, 1, sharing::<D, F>()) };
        }
        let columns = block.end - block.first;
        // SAFETY: the rows belong to the block, the data needs no row checks, and slices that were returned before are gone. The
        // access to all rows is allowed, including rows that the filter excludes: `listed` ensures that no other query has rows of
        // the table whose values this one may change, or changes values that this one reads.
        let rows = unsafe { D::slice(block.data, block.rows, block.first, columns) };
        return kernel.run_listed(columns, few.all_from(block.first), rows);
    }
    few.all().iter().try_for_each(|&row| {
        // SAFETY: the row belongs to the block and matches; the access is forwarded, and no row is yielded twice.
        kernel.run(1, unsafe { block.slice(row as usize, 1) })
    })
}

/// One call of a kernel, with consecutive rows.
///
/// Row systems read parameters in their loops. The compiler must know that changes of rows do not modify the parameters, so that a
/// value that is compared in each row is loaded once. See [`BlockLoop`] for why the call is copied as a whole.
struct SliceRows<'k, 'b, D: ContiguousFetch, K> {
    kernel: &'k mut K,
    data: D::TableFetch<'b>,
    rows: Rows,
    first: usize,
    /// A count instead of a range, because the compiler would not know the length of the range.
    count: usize,
}

impl<'k, 'b, D: ContiguousFetch, K: SliceKernel<D>> SliceRows<'k, 'b, D, K> {
    /// # Safety
    ///
    /// - The conditions of [`ContiguousFetch::slice`] hold for these rows until the call of the kernel has returned.
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
        // SAFETY: promised to `of`: the rows exist in the table, none has to be checked, and the access is allowed and conflicts
        // with no other borrow. The kernel accesses values only through the data that `apart` passes.
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

/// Calls the kernel with the rows from `first` to `end`, in blocks of the unroll width.
///
/// # Safety
///
/// - The conditions of [`ContiguousFetch::slice`] hold for these rows.
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
            // SAFETY: forwarded: the access to the rows from `first` to `end`; the caller of the macro has checked that `$count`
            // rows are left.
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
    // The remaining rows are processed in powers of two: a loop would be vectorised for many rows although there are few. `left` is not
    // updated, because the larger powers of two that were processed do not change its lower bits.
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
