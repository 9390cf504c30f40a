//! Iteration over the rows that a query matches, as slices, on several threads.
//!
//! Tests: tests/queries/parallel_lists.rs

use super::data::{ContiguousQueryData, QueryData};
use super::filter::QueryFilter;
use super::handle::Query;
use super::par::{BatchingStrategy, QueryParIter};

/// Iterates over the matched rows as slices, on several threads. Made by
/// [`Query::contiguous_par_iter`](super::Query::contiguous_par_iter) and
/// [`Query::contiguous_par_iter_mut`](super::Query::contiguous_par_iter_mut).
///
/// Threads are used in the same way as by [`QueryParIter`]. A slice has consecutive rows of one table. The order of the slices is
/// unspecified.
#[must_use = "does nothing until `for_each` is called"]
pub struct QueryContiguousParIter<'w, 's, D: QueryData, F: QueryFilter>(QueryParIter<'w, 's, D, F>);

impl<'w, 's, D: ContiguousQueryData, F: QueryFilter> QueryContiguousParIter<'w, 's, D, F> {
    /// Returns the iterator unchanged: every query has slices.
    pub fn unwrap(self) -> Self {
        self
    }

    /// Sets the number of rows that a thread takes at a time. The number is rounded up to a multiple of 64.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::query::BatchingStrategy;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..1000).map(Health));
    /// let mut state = world.query::<&Health>();
    /// let all = state.query(&world);
    /// let slices = all.contiguous_par_iter().batching_strategy(BatchingStrategy::fixed(100));
    /// slices.for_each(|healths| assert!(healths.len() <= 128));
    /// ```
    pub fn batching_strategy(self, strategy: BatchingStrategy) -> Self {
        Self(self.0.batching_strategy(strategy))
    }

    /// Calls a function with slices that together contain all rows.
    ///
    /// # Panics
    ///
    /// If the function panics for a slice, on any thread. It may or may not have been called for the other slices.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut all: Query<&mut Health>) {
    ///     all.contiguous_par_iter_mut().for_each(|healths| healths.iter_mut().for_each(|health| health.0 += 1));
    /// }
    /// # let mut world = World::new();
    /// # let last = world.spawn_batch((0..1000).map(Health)).last().unwrap();
    /// # world.run_system_once(heal).unwrap();
    /// # assert_eq!(world.get::<Health>(last).unwrap().0, 1000);
    /// ```
    pub fn for_each(self, each: impl Fn(D::Contiguous<'w, 's>) + Send + Sync) {
        self.for_each_init(|| (), |(), slices| each(slices));
    }

    /// Like [`for_each`](Self::for_each), but with a value that is made once per batch of rows.
    ///
    /// # Panics
    ///
    /// See [`for_each`](Self::for_each).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::utils::Parallel;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..1000).map(Health));
    /// let mut state = world.query::<&Health>();
    /// let mut counts = Parallel::<usize>::default();
    /// let all = state.query(&world);
    /// all.contiguous_par_iter().for_each_init(|| counts.borrow_local_mut(), |count, slice| **count += slice.len());
    /// assert_eq!(counts.iter_mut().map(|count| *count).sum::<usize>(), 1000);
    /// ```
    pub fn for_each_init<T>(
        self,
        init: impl Fn() -> T + Send + Sync,
        each: impl Fn(&mut T, D::Contiguous<'w, 's>) + Send + Sync,
    ) {
        self.0.for_each_slice_init(init, |value, slices| each(value, D::contiguous(slices)));
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Iterates over the matched rows as slices, for reading, on several threads. See [`Query::contiguous_iter`].
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn count(all: Query<&Health>) -> usize {
    ///     let count = AtomicUsize::new(0);
    ///     all.contiguous_par_iter().for_each(|slice| _ = count.fetch_add(slice.len(), Ordering::Relaxed));
    ///     count.into_inner()
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..1000).map(Health));
    /// # assert_eq!(world.run_system_once(count).unwrap(), 1000);
    /// ```
    pub fn contiguous_par_iter(&self) -> QueryContiguousParIter<'_, 's, D::ReadOnly, F>
    where
        D::ReadOnly: ContiguousQueryData,
    {
        self.as_readonly().contiguous_par_iter_inner()
    }

    /// Iterates over the matched rows as slices, on several threads. See [`Query::contiguous_iter_mut`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut all: Query<&mut Health>) {
    ///     all.contiguous_par_iter_mut().for_each(|slice| slice.iter_mut().for_each(|health| health.0 += 1));
    /// }
    /// # let mut world = World::new();
    /// # let last = world.spawn_batch((0..1000).map(Health)).last().unwrap();
    /// # world.run_system_once(heal).unwrap();
    /// # assert_eq!(world.get::<Health>(last).unwrap().0, 1000);
    /// ```
    pub fn contiguous_par_iter_mut(&mut self) -> QueryContiguousParIter<'_, 's, D, F>
    where
        D: ContiguousQueryData,
    {
        self.reborrow().contiguous_par_iter_inner()
    }

    /// Iterates over the matched rows as slices, on several threads, with the lifetime of the query.
    pub fn contiguous_par_iter_inner(self) -> QueryContiguousParIter<'w, 's, D, F>
    where
        D: ContiguousQueryData,
    {
        QueryContiguousParIter(self.par_iter_inner())
    }
}

impl_debug!([D: QueryData, F: QueryFilter] QueryContiguousParIter<'_, '_, D, F> => |this, f|
    f.debug_tuple("QueryContiguousParIter").field(&this.0).finish());
