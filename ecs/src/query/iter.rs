//! Iterating over the entities that a query matches.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt;
use core::hint::cold_path;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::ops::ControlFlow::{self, Break, Continue};
use core::ops::Range;

use super::blocks::{Block, BlockIter, per_row};
use super::cache::CacheOf;
use super::data::{ContiguousQueryData, QueryData};
use super::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch};
use super::filter::QueryFilter;
use super::fold::{FoldBlock, FoldRows};
use super::many::{QueryManyUniqueIter, QuerySortedIter, QuerySortedManyUniqueIter};
use super::matching_rows::MatchingRows;
use super::row_ranges::OfItems;
use crate::cell::StoreCell;
use crate::entity::{Entity, UniqueEntityVec};
use crate::simd;

/// The entities that a query matches, one by one.
///
/// A `for` loop tests one condition a row. Internal iteration (`for_each`, `fold`, `sum`, ...) runs one counted loop a
/// table and is faster.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// world.spawn_batch([Health(1), Health(2), Health(3)]);
/// let mut query = world.query::<&Health>();
/// let mut iter = query.iter(&world);
/// assert_eq!(iter.next().unwrap().0, 1);
/// assert_eq!(iter.map(|health| health.0).sum::<u32>(), 5);
/// ```
pub struct QueryIter<'w, 's, D: QueryData, F: QueryFilter> {
    /// The current block; initialised once `at` and `end` differ, or `rest` has rows.
    block: MaybeUninit<Block<'w, D::Terms, F::Terms>>,
    /// The next row and the end of the block, each times `UNIT`.
    at: usize,
    end: usize,
    /// The rows of the current block, if they have to be asked whether they match.
    rest: Option<MatchingRows<'w>>,
    blocks: BlockIter<'w, 's, D::Terms, F::Terms>,
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    #[inline]
    pub(crate) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D::Terms, F::Terms>) -> Self {
        // SAFETY: the caller's promise.
        let blocks = unsafe { BlockIter::new(cell, cache) };
        Self { block: MaybeUninit::uninit(), at: 0, end: 0, rest: None, blocks }
    }

    /// In what rows are counted: bytes, if that leads to all values of a row, so that `next` multiplies nothing.
    const UNIT: usize = match D::Terms::STRIDE {
        bytes if bytes != 0 && !per_row::<D::Terms, F::Terms>() => bytes,
        _ => 1,
    };

    /// The rows of the current block that are still to come.
    #[inline(always)]
    fn rows(&self) -> Range<usize> {
        self.at / Self::UNIT..self.end / Self::UNIT
    }

    /// What items borrow of the state.
    #[inline(always)]
    fn kept(&self) -> Kept<'s, D::Terms> {
        Some(&self.blocks.parts().1.data)
    }

    /// Goes to the next block; false if there is none.
    #[inline]
    fn advance(&mut self) -> bool {
        self.advance_inline()
    }

    /// As [`advance`](Self::advance), for where the fields are to stay in registers: a function that is called gets their address.
    #[inline(always)]
    fn advance_inline(&mut self) -> bool {
        match self.blocks.next() {
            Some(block) => {
                if per_row::<D::Terms, F::Terms>() && block.all_packed().is_none() {
                    self.rest = Some(MatchingRows::of(&block));
                } else {
                    self.at = block.first * Self::UNIT;
                    self.end = block.end * Self::UNIT;
                }
                self.block.write(block);
                true
            }
            None => false,
        }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    /// The next item, if rows have to be asked.
    #[inline]
    fn next_of_rest(&mut self) -> Option<D::Item<'w, 's>> {
        let kept = self.kept();
        if self.blocks.led_one_by_one().is_some() {
            // SAFETY: the rows match; the access is allowed, as promised to `new`, and a driver leads to each entity once.
            return unsafe {
                let (block, row) = self.blocks.next_led()?;
                Some(D::item(D::Terms::row(block.data, block.rows, row), kept))
            };
        }
        loop {
            // Rows that have to be asked are counted one by one.
            if self.at != self.end {
                let row = self.at;
                self.at += 1;
                // SAFETY: `row` was below `end`, so there is a current block, of which it is a row that matches.
                unsafe {
                    let block = self.block.assume_init_ref();
                    return Some(D::item(D::Terms::row(block.data, block.rows, row), kept));
                }
            }
            if let Some(rest) = &mut self.rest {
                // SAFETY: where there is a rest there is a current block, whose it is; the access is allowed, as promised to
                // `new`. No row comes twice.
                unsafe {
                    let block = self.block.assume_init_ref();
                    if let Some(row) = rest.next(block) {
                        return Some(D::item(D::Terms::row(block.data, block.rows, row), kept));
                    }
                }
            }
            if !self.advance() {
                self.rest = None;
                return None;
            }
        }
    }

    /// As `fold`, if rows have to be asked.
    #[inline]
    fn fold_rest<B, G: FnMut(B, D::Item<'w, 's>) -> B>(mut self, init: B, mut each: G) -> B {
        let kept = self.kept();
        if let Some(rows) = self.blocks.led_one_by_one() {
            let (cell, cache) = self.blocks.parts();
            let mut result = Some(init);
            // SAFETY: the cache belongs to the store, as promised to `new`; the rest as in `next_of_rest`.
            let done: Result<(), Infallible> = unsafe {
                rows.for_each(cell, cache, |block: &Block<'w, D::Terms, F::Terms>, row| {
                    let item = D::item(D::Terms::row(block.data, block.rows, row), kept);
                    result = result.take().map(|result| each(result, item));
                    Ok(())
                })
            };
            let (Ok(()), Some(result)) = (done, result) else { unreachable!("a result was put back each time") };
            return result;
        }
        let mut result = init;
        loop {
            if let Some(rest) = self.rest.take() {
                // SAFETY: as in `next_of_rest`.
                unsafe {
                    let block = *self.block.assume_init_ref();
                    result = rest.fold(&block, result, |result, row| {
                        each(result, D::item(D::Terms::row(block.data, block.rows, row), kept))
                    });
                }
            }
            if self.at != self.end {
                // SAFETY: there are rows left, so there is a current block; the access is allowed, as promised to `new`, and the rows
                // of a block that has no rest match.
                let job = unsafe {
                    let block = *self.block.assume_init_ref();
                    let data = block.all_packed().unwrap_or(block.data);
                    FoldBlock::<D, F::Terms, _, _, true>::of(
                        Block { first: self.rows().start, data, ..block },
                        kept,
                        result,
                        &mut each,
                    )
                };
                result = simd::run::<OfItems<D::Terms>, _>(job);
            }
            if !self.advance() {
                return result;
            }
        }
    }
}

/// Where an iterator is in its block, kept at hand, and written back also if something unwinds: a row that has been given out must not
/// come again.
struct Position<'a> {
    row: usize,
    unit: usize,
    of_iter: &'a mut usize,
}

impl Drop for Position<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.of_iter = self.row * self.unit;
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    /// Calls a function with one item after the other until it breaks off.
    #[inline]
    fn search<R>(&mut self, mut each: impl FnMut(D::Item<'w, 's>) -> ControlFlow<R>) -> Option<R> {
        if per_row::<D::Terms, F::Terms>() {
            return core::iter::from_fn(|| self.next_of_rest()).find_map(|item| each(item).break_value());
        }
        let kept = self.kept();
        loop {
            if self.at != self.end {
                // SAFETY: there are rows left, so there is a current block.
                let Block { data, rows, .. } = unsafe { *self.block.assume_init_ref() };
                let left = self.rows();
                let mut at = Position { row: left.start, unit: Self::UNIT, of_iter: &mut self.at };
                while at.row != left.end {
                    let row = at.row;
                    at.row += 1;
                    // SAFETY: `row` is below `end`, so it is a row of the block; it is given out once.
                    let item = D::item(unsafe { D::Terms::row(data, rows, row) }, kept);
                    if let Break(found) = each(item) {
                        return Some(found);
                    }
                }
            }
            if !self.advance() {
                return None;
            }
        }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    /// Calls a function with the entities that are still to come, in order, some at a time.
    pub(super) fn for_each_left(&self, mut each: impl FnMut(&[Entity])) {
        let (Range { start: mut row, mut end }, mut rest, mut blocks) = (self.rows(), self.rest, self.blocks.clone());
        let mut block = self.block;
        loop {
            // SAFETY: where there are rows or a rest there is a current block, whose they are; the entities of a table, and what
            // the filter asks for, may be read.
            unsafe {
                if let Some(rest) = rest.take() {
                    let block = block.assume_init_ref();
                    rest.fold(block, (), |(), row| each(block.rows.entities(row, 1)));
                } else if row != end {
                    each(block.assume_init_ref().rows.entities(row, end - row));
                }
            }
            let Some(next) = blocks.next() else { return };
            (row, end) = (next.first, next.end);
            if per_row::<D::Terms, F::Terms>() && next.all_packed().is_none() {
                (row, end, rest) = (0, 0, Some(MatchingRows::of(&next)));
            }
            block.write(next);
        }
    }

    /// The same entities by id: those that are still to come.
    pub(super) fn into_unique(self) -> QuerySortedManyUniqueIter<'w, 's, D, F> {
        let mut entities = Vec::new();
        self.for_each_left(|some| entities.extend_from_slice(some));
        let (cell, cache) = self.blocks.parts();
        // SAFETY: as promised to `new`; `self` is used up.
        unsafe { QueryManyUniqueIter::new(cell, cache, UniqueEntityVec::of(entities).into_iter()) }
    }

    /// The items that are still to come, through another iterator; this one does not go on.
    ///
    /// See [`remaining`](Self::remaining) for queries that only read. This one makes a list of the entities: `O(n)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&mut Health>();
    /// let mut iter = query.iter_mut(&mut world);
    /// while let Some(health) = iter.next() {
    ///     iter.remaining_mut().for_each(|mut later| later.0 += health.0);
    /// }
    /// assert_eq!(world.get(b), Some(&Health(3)));
    /// ```
    pub fn remaining_mut(&mut self) -> QuerySortedIter<'_, 's, D, F> {
        let mut entities = Vec::new();
        self.for_each_left(|some| entities.extend_from_slice(some));
        let (cell, cache) = self.blocks.parts();
        // SAFETY: as promised to `new`; `self` gives out nothing as long as the other one exists, and what it has given out are
        // other entities.
        unsafe { QueryManyUniqueIter::new(cell, cache, UniqueEntityVec::of(entities).into_iter()) }.matched()
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Iterator for QueryIter<'w, 's, D, F> {
    type Item = D::Item<'w, 's>;

    #[inline(always)]
    fn next(&mut self) -> Option<D::Item<'w, 's>> {
        if per_row::<D::Terms, F::Terms>() {
            return self.next_of_rest();
        }
        // A block has rows.
        if self.at == self.end {
            cold_path();
            if !self.advance_inline() {
                return None;
            }
        }
        let at = self.at;
        self.at += Self::UNIT;
        let kept = self.kept();
        // SAFETY: `at` was below `end`, and both are multiples of the unit, which is the stride unless that is zero. So there is a
        // current block, of which this is a row.
        unsafe {
            let block = self.block.assume_init_ref();
            let got = if Self::UNIT == D::Terms::STRIDE {
                D::Terms::row_at(block.data, block.rows, at)
            } else {
                D::Terms::row(block.data, block.rows, at)
            };
            Some(D::item(got, kept))
        }
    }

    /// Exact unless rows have to be asked whether they match. `O(tables)`.
    fn size_hint(&self) -> (usize, Option<usize>) {
        if per_row::<D::Terms, F::Terms>() {
            return (0, None);
        }
        let all = self.rows().len() + self.blocks.rows_left();
        (all, Some(all))
    }

    #[inline]
    fn count(mut self) -> usize {
        if per_row::<D::Terms, F::Terms>() {
            return self.fold_rest(0, |count, _| count + 1);
        }
        let mut count = 0;
        loop {
            count += self.rows().len();
            if !self.advance() {
                return count;
            }
        }
    }

    #[inline]
    fn nth(&mut self, mut n: usize) -> Option<D::Item<'w, 's>> {
        if per_row::<D::Terms, F::Terms>() {
            return (0..n).try_for_each(|_| self.next_of_rest().map(drop)).and_then(|()| self.next_of_rest());
        }
        while n >= self.rows().len() {
            n -= self.rows().len();
            self.at = self.end;
            if !self.advance() {
                return None;
            }
        }
        self.at += n * Self::UNIT;
        self.next()
    }

    #[inline]
    fn any<P: FnMut(Self::Item) -> bool>(&mut self, mut holds: P) -> bool {
        self.search(|item| if holds(item) { Break(()) } else { Continue(()) }).is_some()
    }

    #[inline]
    fn all<P: FnMut(Self::Item) -> bool>(&mut self, mut holds: P) -> bool {
        self.search(|item| if holds(item) { Continue(()) } else { Break(()) }).is_none()
    }

    #[inline]
    fn find<P: FnMut(&Self::Item) -> bool>(&mut self, mut holds: P) -> Option<Self::Item> {
        self.search(|item| if holds(&item) { Break(item) } else { Continue(()) })
    }

    #[inline]
    fn find_map<R, P: FnMut(Self::Item) -> Option<R>>(&mut self, mut find: P) -> Option<R> {
        self.search(|item| find(item).map_or(Continue(()), Break))
    }

    #[inline]
    fn position<P: FnMut(Self::Item) -> bool>(&mut self, mut holds: P) -> Option<usize> {
        let mut at = 0;
        self.search(|item| {
            if holds(item) {
                return Break(at);
            }
            at += 1;
            Continue(())
        })
    }

    #[inline]
    fn fold<B, G: FnMut(B, Self::Item) -> B>(self, init: B, each: G) -> B {
        if per_row::<D::Terms, F::Terms>() {
            return self.fold_rest(init, each);
        }
        // SAFETY: the block is initialised if it has rows left; the access is allowed, as promised to `new`. `self` is used up, so no row
        // comes twice, and none has to be asked.
        let job = unsafe {
            FoldRows::<D, F::Terms, _, _>::of(&self.block, self.rows(), &self.blocks, self.kept(), init, each)
        };
        simd::run::<OfItems<D::Terms>, _>(job)
    }
}

impl<D: QueryData, F: QueryFilter> FusedIterator for QueryIter<'_, '_, D, F> {}

impl<D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter> Clone for QueryIter<'_, '_, D, F> {
    fn clone(&self) -> Self {
        Self { block: self.block, at: self.at, end: self.end, rest: self.rest, blocks: self.blocks.clone() }
    }
}

impl<D: QueryData, F: QueryFilter> fmt::Debug for QueryIter<'_, '_, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryIter").finish_non_exhaustive()
    }
}

/// The rows that a query matches as slices: one item per table, or per run of matching rows.
///
/// A table is cut into runs if the query has filters on sparse components, and into single rows if it asks for the
/// values of one. A query that asks for the values of one sparse component, and for nothing in tables, has them all in one
/// slice.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Poisoned;
/// # let mut world = World::new();
/// world.spawn_batch([Health(1), Health(2)]);
/// world.spawn((Health(3), Poisoned)); // Other components, another table.
/// let mut query = world.query::<&Health>();
/// let lengths: Vec<usize> = query.contiguous_iter(&world).map(|slice| slice.len()).collect();
/// assert_eq!(lengths, [2, 1]);
/// ```
pub struct QueryContiguousIter<'w, 's, D: QueryData, F: QueryFilter> {
    block: Option<(Block<'w, D::Terms, F::Terms>, MatchingRows<'w>)>,
    blocks: BlockIter<'w, 's, D::Terms, F::Terms>,
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryContiguousIter<'w, 's, D, F> {
    /// # Safety
    ///
    /// - As for [`QueryIter::new`].
    #[inline]
    pub(crate) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D::Terms, F::Terms>) -> Self {
        // SAFETY: the caller's promise.
        let blocks = unsafe { BlockIter::new(cell, cache) };
        Self { block: None, blocks }
    }
}

impl<'w, 's, D: ContiguousQueryData, F: QueryFilter> QueryContiguousIter<'w, 's, D, F> {
    /// The next run of rows and how many they are.
    #[inline]
    pub(crate) fn next_run(&mut self) -> Option<(usize, <D::Terms as ContiguousFetch>::Slice<'w>)> {
        if !per_row::<D::Terms, F::Terms>() && !D::Terms::SINGLE_ROWS {
            let block = self.blocks.next()?;
            let count = block.end - block.first;
            // SAFETY: the block's rows all match; its access is allowed, as promised to `new`, and no row is given out
            // twice.
            return Some((count, unsafe { block.slice(block.first, count) }));
        }
        self.next_cut()
    }

    fn next_cut(&mut self) -> Option<(usize, <D::Terms as ContiguousFetch>::Slice<'w>)> {
        loop {
            let (block, rest) = match &mut self.block {
                Some(current) => current,
                None => {
                    let block = self.blocks.next()?;
                    if D::Terms::PACKED_SLICES
                        && let Some(data) = block.all_packed()
                    {
                        let count = block.end - block.first;
                        // SAFETY: all rows of the storage match; the access is allowed, as promised to `new`, and no row is
                        // given out twice.
                        return Some((count, unsafe { Block { data, ..block }.slice(block.first, count) }));
                    }
                    self.block.insert((block, MatchingRows::of(&block)))
                }
            };
            // SAFETY: the rest is that of the block; the access is allowed, as promised to `new`.
            let run = unsafe {
                match D::Terms::SINGLE_ROWS {
                    true => rest.next(block).map(|row| (row, 1)),
                    false => rest.next_run(block),
                }
            };
            let Some((first, count)) = run else {
                self.block = None;
                continue;
            };
            // SAFETY: the rows match, and there is one if slices can have one only; the access is allowed, as promised
            // to `new`, and no row is given out twice.
            return Some((count, unsafe { block.slice(first, count) }));
        }
    }
}

impl<'w, 's, D: ContiguousQueryData, F: QueryFilter> Iterator for QueryContiguousIter<'w, 's, D, F> {
    type Item = D::Contiguous<'w, 's>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_run().map(|(_, slices)| D::contiguous(slices))
    }
}

impl<D: QueryData, F: QueryFilter> QueryContiguousIter<'_, '_, D, F> {
    /// The iterator as it is: every query has slices.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.contiguous_iter(&world).unwrap().next().unwrap().len(), 2);
    /// ```
    #[must_use]
    pub fn unwrap(self) -> Self {
        self
    }
}

impl<D: ContiguousQueryData, F: QueryFilter> FusedIterator for QueryContiguousIter<'_, '_, D, F> {}

impl<D: QueryData, F: QueryFilter> fmt::Debug for QueryContiguousIter<'_, '_, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryContiguousIter").finish_non_exhaustive()
    }
}
