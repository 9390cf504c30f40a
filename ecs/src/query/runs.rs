//! Going through the rows of a query as slices, with a function that is compiled for several instruction sets.

use core::marker::PhantomData;
use core::ops::Range;

use super::cache::CacheOf;
use super::fetch::Fetch;
use super::filter::FilterTerms;
use super::slices::ContiguousFetch;
use super::walk::{Block, Rest, Walk, per_row};
use crate::cell::Cell;
use crate::entity::TableId;
use crate::simd::{self, Job, Shape, Variants};

/// A function of several rows that stand one behind the other.
pub(crate) trait RunKernel<D: ContiguousFetch> {
    /// What ends the loop.
    type Error;

    /// Goes through rows, of which it gets the number. To be `#[inline(always)]`, with what it calls.
    fn run(&mut self, len: usize, rows: D::Slice<'_>) -> Result<(), Self::Error>;
}

/// Rows to go through: all that a query matches, or some of a block.
pub(crate) struct Runs<'w, 's, D: ContiguousFetch, F: FilterTerms> {
    /// What comes before the walk.
    one: Option<Block<'w, D, F>>,
    walk: Walk<'w, 's, D, F>,
    /// Whether it has been noted already that these rows are given out.
    is_marked: bool,
}

impl<'w, 's, D: ContiguousFetch, F: FilterTerms> Runs<'w, 's, D, F> {
    /// All rows.
    ///
    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    #[inline]
    pub(crate) unsafe fn all(cell: Cell<'w>, cache: &'s CacheOf<D, F>) -> Self {
        // SAFETY: the caller's promise.
        Self { one: None, walk: unsafe { Walk::new(cell, cache) }, is_marked: false }
    }

    /// The rows of a block.
    ///
    /// # Safety
    ///
    /// - As for [`Runs::all`], but that it is enough if the access is allowed for the rows of the block. The block is one of the
    ///   query's.
    #[inline]
    pub(crate) unsafe fn of(cell: Cell<'w>, cache: &'s CacheOf<D, F>, block: Block<'w, D, F>) -> Self {
        Self { one: Some(block), walk: Walk::nothing(cell, cache), is_marked: false }
    }

    /// Calls `each` with every table.
    pub(crate) fn tables(cache: &CacheOf<D, F>, each: &mut dyn FnMut(TableId)) {
        cache.matches.iter().for_each(|found| each(found.table));
    }

    /// Comes to all tables without reading or writing rows: notes that all rows are given out. They are then to be got from
    /// [`Runs::some`].
    ///
    /// # Safety
    ///
    /// - As for [`Runs::all`], but that values need not be accessible yet: only when they were changed may nobody else read or
    ///   write meanwhile.
    /// - No row has to be asked whether it matches, and slices may have many rows.
    pub(crate) unsafe fn visit(cell: Cell<'w>, cache: &'s CacheOf<D, F>) {
        debug_assert!(
            !per_row::<D, F>() && !D::SINGLE_ROWS,
            "rows that have to be asked one by one are marked together"
        );
        for found in &cache.matches {
            // SAFETY: the match is one of the cache, which belongs to the store; the block's rows are the caller's.
            unsafe {
                let block = Block::<D, F>::whole(cell, cache, found);
                if block.end != 0 {
                    D::mark(block.data, block.rows, 0, block.end);
                }
            }
        }
    }

    /// Some rows of a table, if it is one of the query's. That somebody has come to all of them has been noted.
    ///
    /// # Safety
    ///
    /// - As for [`Runs::of`], of these rows, which are rows of the table.
    #[inline]
    pub(crate) unsafe fn some(
        cell: Cell<'w>,
        cache: &'s CacheOf<D, F>,
        table: TableId,
        rows: Range<usize>,
    ) -> Option<Self> {
        let found = cache.match_of(table)?;
        let cell = cell.again();
        // SAFETY: the match is one of the cache, which belongs to the store, as the caller promises.
        let block = unsafe { Block::whole(cell, cache, &found) };
        debug_assert!(rows.start <= rows.end && rows.end <= block.end, "rows that the table does not have");
        let one = Some(Block { first: rows.start, end: rows.end, ..block });
        Some(Self { one, walk: Walk::nothing(cell, cache), is_marked: true })
    }

    /// Calls a function with all runs of rows, until it fails.
    #[inline(always)]
    pub(crate) fn for_each<V: Variants, K: RunKernel<D>>(self, kernel: &mut K) -> Result<(), K::Error> {
        simd::run::<Of<V, D>, _>(Loop { runs: self, kernel })
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Block<'w, D, F>> {
        match self.one.take() {
            Some(block) => Some(block),
            None => self.walk.next(),
        }
    }
}

/// The variants of a loop over such rows.
pub(crate) struct Of<V, D>(PhantomData<(V, D)>);

impl<V: Variants, D: Fetch> Variants for Of<V, D> {
    const WIDE: bool = V::WIDE && D::PLAIN;
    type Baseline = V::Baseline;
    type Avx2 = V::Avx2;
    type Avx512 = V::Avx512;
}

/// The loop over all runs.
struct Loop<'k, 'w, 's, D: ContiguousFetch, F: FilterTerms, K> {
    runs: Runs<'w, 's, D, F>,
    kernel: &'k mut K,
}

impl<D: ContiguousFetch, F: FilterTerms, K: RunKernel<D>> Job for Loop<'_, '_, '_, D, F, K> {
    type Out = Result<(), K::Error>;

    #[inline(always)]
    fn run<S: Shape>(mut self) -> Self::Out {
        loop {
            let is_whole = self.runs.one.is_none();
            let Some(block) = self.runs.next() else { return Ok(()) };
            if per_row::<D, F>() || D::SINGLE_ROWS {
                // Of rows that were changed there is a list for the whole table.
                let rest = if is_whole { Rest::of(&block) } else { Rest::unlogged(&block) };
                self.cut(block, rest)?;
                continue;
            }
            let Block { data, rows, mut first, end, .. } = block;
            // SAFETY: here and below, the rows are rows of the block, all of which match; the access is allowed, as promised to
            // `all` or `of`, and no row is given out twice.
            unsafe {
                if !self.runs.is_marked {
                    D::mark(data, rows, first, end - first);
                }
            }
            if S::ROWS == 1 {
                // SAFETY: as above.
                self.kernel.run(end - first, unsafe { D::slice(data, rows, first, end - first) })?;
                continue;
            }
            while end - first >= S::ROWS {
                // SAFETY: as above.
                self.kernel.run(S::ROWS, unsafe { D::slice(data, rows, first, S::ROWS) })?;
                first += S::ROWS;
            }
            while first < end {
                // SAFETY: as above.
                self.kernel.run(1, unsafe { D::slice(data, rows, first, 1) })?;
                first += 1;
            }
        }
    }
}

impl<D: ContiguousFetch, F: FilterTerms, K: RunKernel<D>> Loop<'_, '_, '_, D, F, K> {
    /// The rows of a block of which each has to be asked, or which do not stand one behind the other.
    #[inline(always)]
    fn cut<'b>(&mut self, block: Block<'b, D, F>, mut rest: Rest<'b>) -> Result<(), K::Error> {
        loop {
            // SAFETY: the rest is that of the block; the access is allowed, as promised to `all` or `of`.
            let run = unsafe {
                match D::SINGLE_ROWS {
                    true => rest.next(&block).map(|row| (row, 1)),
                    false => rest.next_run(&block),
                }
            };
            let Some((first, count)) = run else { return Ok(()) };
            // SAFETY: the rows match, and there is one if slices can have one only; the access is allowed, as promised to
            // `all` or `of`, and no row is given out twice.
            self.kernel.run(count, unsafe { block.slice(first, count) })?;
        }
    }
}
