//! Iteration over the entities that a query matches.
//!
//! Tests: tests/queries/iteration.rs

use alloc::vec::Vec;
use core::hint::cold_path;
use core::iter::FusedIterator;
use core::ops::ControlFlow::{self, Break, Continue};
use core::ops::Range;

use super::blocks::{Block, per_row};
use super::cursor::RowCursor;
use super::data::{ContiguousQueryData, QueryData};
use super::fetch::{Fetch, Kept, ReadOnlyFetch};
use super::filter::QueryFilter;
use super::fold::{FoldRows, fold_asked};
use super::handle::Query;
use super::many::{QueryManyIter, QuerySortedIter, QuerySortedManyUniqueIter};
use super::row_ranges::ItemVariants;
use crate::entity::{Entity, UniqueEntityVec};
use crate::util::simd;

/// The entities that a query matches, one by one.
///
/// A `for` loop checks one condition per row. Internal iteration (`for_each`, `fold`, `sum`, ...) runs one counted loop per table
/// and is faster.
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
    /// The next row of the current run. `end` is the end of the run.
    at: usize,
    end: usize,
    /// The cursor. If `at` and `end` differ, the cursor has returned the current run.
    cursor: RowCursor<'w, 's, D::Terms, F::Terms>,
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryIter<'w, 's, D, F> {
    /// Creates an iterator over all matched entities.
    #[inline]
    pub(super) fn new(query: Query<'w, 's, D, F>) -> Self {
        Self { at: 0, end: 0, cursor: RowCursor::new(query.matched()) }
    }

    /// Returns the remaining rows of the current run.
    #[inline]
    fn rows(&self) -> Range<usize> {
        self.at..self.end
    }

    /// Returns the state of the terms, which items borrow.
    #[inline]
    fn kept(&self) -> Kept<'s, D::Terms> {
        Some(&self.cursor.matched().cache().data)
    }

    /// Steps to the next run. Returns false at the end.
    #[inline]
    fn advance(&mut self) -> bool {
        self.advance_inline()
    }

    /// Inlined version of [`advance`](Self::advance), for callers that keep the fields in registers. A call would pass the address
    /// of the fields.
    #[inline(always)]
    fn advance_inline(&mut self) -> bool {
        let Some(run) = self.cursor.next_run() else { return false };
        (self.at, self.end) = (run.start, run.end);
        true
    }

    /// Implements `fold` for queries whose rows have to be checked.
    #[inline]
    fn fold_rest<B, G: FnMut(B, D::Item<'w, 's>) -> B>(self, init: B, each: G) -> B {
        let (kept, run) = (self.kept(), self.rows());
        // SAFETY: if the run is not empty, it is the current one of the cursor; the access is allowed, as promised to `Query::new`.
        // `self` is consumed, so no row is yielded twice.
        unsafe { fold_asked::<D, F::Terms, B, true>(self.cursor, run, kept, init, each) }
    }

    /// Calls a function with each item until the function breaks. Returns the value of the break.
    #[inline]
    fn search<R>(&mut self, mut each: impl FnMut(D::Item<'w, 's>) -> ControlFlow<R>) -> Option<R> {
        let kept = self.kept();
        loop {
            if self.at != self.end {
                // SAFETY: there are rows left, so the cursor has returned a run.
                let Block { data, rows, .. } = *unsafe { self.cursor.block() };
                let left = self.rows();
                let mut at = RowPosition { row: left.start, of_iter: &mut self.at };
                while at.row != left.end {
                    let row = at.row;
                    at.row += 1;
                    // SAFETY: `row` is less than `end`, so it belongs to the run; it is yielded once.
                    let item = D::item(unsafe { D::Terms::fetch_row::<false>(data, rows, row) }, kept);
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

    /// Calls a function with the remaining entities, in order, as slices.
    pub(super) fn for_each_left(&self, mut each: impl FnMut(&[Entity])) {
        if !self.rows().is_empty() {
            // SAFETY: the cursor has returned the run, so its rows belong to the cursor's block.
            each(unsafe { self.cursor.block().rows.entities(self.at, self.end - self.at) });
        }
        self.cursor.clone().for_each_entities(each);
    }

    /// Collects the entities of the remaining items in a list, and iterates over their items.
    pub(super) fn into_unique(self) -> QuerySortedManyUniqueIter<'w, 's, D, F> {
        let mut entities = Vec::new();
        self.for_each_left(|some| entities.extend_from_slice(some));
        // SAFETY: the access is allowed, as promised to `Query::new`; `self` is consumed, and the items that it returned belong to
        // other entities.
        let query = unsafe { Query::of_matched(self.cursor.matched()) };
        QueryManyIter::new(query, UniqueEntityVec::of(entities).into_iter()).into_unique()
    }

    /// Returns the remaining items in another iterator. This iterator is not advanced.
    ///
    /// This method makes a list of the entities: `O(n)`. Read-only queries have [`remaining`](Self::remaining).
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
        // The result borrows `self`, which cannot return items during that time, so no row is yielded twice.
        Self { at: self.at, end: self.end, cursor: self.cursor.clone() }.into_unique().matched()
    }
}

/// The position of an iterator in its block, in a local variable. The position is written back on drop, also when a panic unwinds,
/// because a row must not be yielded twice.
struct RowPosition<'a> {
    row: usize,
    of_iter: &'a mut usize,
}

impl Drop for RowPosition<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.of_iter = self.row;
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Iterator for QueryIter<'w, 's, D, F> {
    type Item = D::Item<'w, 's>;

    #[inline(always)]
    fn next(&mut self) -> Option<D::Item<'w, 's>> {
        // Runs are not empty, and without row checks they are long, so the end of a run is unlikely. The branch hint has an effect only
        // inside of the branch.
        if per_row::<D::Terms, F::Terms>() {
            if self.at == self.end && !self.advance_inline() {
                return None;
            }
        } else if self.at == self.end {
            cold_path();
            if !self.advance_inline() {
                return None;
            }
        }
        let at = self.at;
        self.at += 1;
        let kept = self.kept();
        // SAFETY: `at` was less than `end`, so the cursor has returned a run.
        let block = unsafe { self.cursor.block() };
        // SAFETY: the row belongs to the run, so it matches; the access is allowed, as promised to `Query::new`, and no row is
        // yielded twice.
        Some(D::item(unsafe { D::Terms::fetch_row::<false>(block.data, block.rows, at) }, kept))
    }

    /// The bounds are exact unless rows have to be checked. `O(tables)`.
    fn size_hint(&self) -> (usize, Option<usize>) {
        if per_row::<D::Terms, F::Terms>() {
            return (0, None);
        }
        let all = self.rows().len() + self.cursor.blocks.rows_left();
        (all, Some(all))
    }

    #[inline]
    fn count(self) -> usize {
        if per_row::<D::Terms, F::Terms>() {
            return self.fold_rest(0, |count, _| count + 1);
        }
        self.rows().len() + self.cursor.blocks.rows_left()
    }

    #[inline]
    fn nth(&mut self, mut n: usize) -> Option<D::Item<'w, 's>> {
        while n >= self.rows().len() {
            n -= self.rows().len();
            self.at = self.end;
            if !self.advance() {
                return None;
            }
        }
        self.at += n;
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
        // SAFETY: if the run is not empty, the cursor has returned it; the access is allowed, as promised to `Query::new`. `self`
        // is consumed, so no row is yielded twice, and no row has to be checked.
        let job = unsafe { FoldRows::<D, F::Terms, _, _>::of(&self.cursor, self.rows(), self.kept(), init, each) };
        simd::run::<ItemVariants<D::Terms>, _>(job)
    }
}

impl<D: QueryData, F: QueryFilter> FusedIterator for QueryIter<'_, '_, D, F> {}

impl<D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter> Clone for QueryIter<'_, '_, D, F> {
    fn clone(&self) -> Self {
        Self { at: self.at, end: self.end, cursor: self.cursor.clone() }
    }
}

impl_debug_of_fields! { [D: QueryData, F: QueryFilter] QueryIter<'_, '_, D, F> {} }

/// Iterates over the rows that a query matches as slices. Yields one item per table, or one per run of matching rows.
///
/// A table is split into runs if the query has filters on sparse components, and into single rows if it reads the values of a
/// sparse component. A query that reads the values of one sparse component and nothing in tables yields all of them as one slice.
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
    /// The remaining rows of the current run. If slices are limited to one row, they are yielded one by one.
    run: Range<usize>,
    cursor: RowCursor<'w, 's, D::Terms, F::Terms>,
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryContiguousIter<'w, 's, D, F> {
    /// Creates an iterator over all matched rows.
    #[inline]
    pub(super) fn new(query: Query<'w, 's, D, F>) -> Self {
        Self { run: 0..0, cursor: RowCursor::new(query.matched()) }
    }
}

impl<'w, 's, D: ContiguousQueryData, F: QueryFilter> Iterator for QueryContiguousIter<'w, 's, D, F> {
    type Item = D::Contiguous<'w, 's>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.run.is_empty() {
            self.run = self.cursor.next_run()?;
        }
        // SAFETY: the cursor has returned a run with rows left. They match; the access is allowed, as promised to `Query::new`, and
        // no row is yielded twice.
        Some(D::contiguous(unsafe { self.cursor.block().next_slice(&mut self.run) }))
    }
}

impl<D: QueryData, F: QueryFilter> QueryContiguousIter<'_, '_, D, F> {
    /// Returns the iterator unchanged: every query has slices.
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

impl_debug_of_fields! { [D: QueryData, F: QueryFilter] QueryContiguousIter<'_, '_, D, F> {} }
