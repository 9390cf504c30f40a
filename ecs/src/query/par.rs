//! Iteration over the entities that a query matches on several threads.
//!
//! Tests: tests/systems/parallel/iteration.rs

use super::blocks::Matched;
use super::data::QueryData;
use super::fetch::ContiguousFetch;
use super::filter::QueryFilter;
use super::handle::Query;
use super::partition::{MatchPosition, Partition};
use crate::storage::tracking::GROUP;
use crate::util::pool::{Pool, Tasks};

/// The number of entities that a thread takes at a time in a parallel loop.
///
/// By default the number depends on the number of entities: there are enough batches for any number of threads, and each batch is
/// large enough to make the overhead negligible. For a loop over few entities with much work each, set the number explicitly.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::BatchingStrategy;
/// # #[derive(Component)] struct Region { fields: Vec<u32> }
///
/// fn simulate(mut regions: Query<&mut Region>) {
///     let one_by_one = BatchingStrategy::fixed(1);
///     regions.par_iter_mut().batching_strategy(one_by_one).for_each(|mut region| region.fields.reverse());
/// }
/// # let mut world = World::new();
/// # let region = world.spawn(Region { fields: vec![1, 2] }).id();
/// # world.run_system_once(simulate).unwrap();
/// # assert_eq!(world.get::<Region>(region).unwrap().fields, [2, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[doc(alias("batch_size", "innerloopBatchCount"))]
pub struct BatchingStrategy {
    size: Option<usize>,
}

impl BatchingStrategy {
    /// Returns the default strategy.
    ///
    /// ```
    /// use strata_ecs::query::BatchingStrategy;
    ///
    /// assert_eq!(BatchingStrategy::new(), BatchingStrategy::default());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { size: None }
    }

    /// Returns a strategy that takes `batch_size` entities at a time. With filters that check each row, such as
    /// [`Changed`](super::Changed), the size is rounded up to a multiple of 64.
    ///
    /// # Panics
    ///
    /// If the size is 0.
    ///
    /// ```should_panic
    /// use strata_ecs::query::BatchingStrategy;
    ///
    /// let nothing_at_a_time = BatchingStrategy::fixed(0);
    /// ```
    #[must_use]
    pub const fn fixed(batch_size: usize) -> Self {
        assert!(batch_size != 0, "a batch has at least one entity");
        Self { size: Some(batch_size) }
    }

    /// Returns the batch size, if it is fixed.
    pub(crate) fn size(self) -> Option<usize> {
        self.size
    }
}

/// Iterates over the entities that a query matches on several threads. Made by [`Query::par_iter`](super::Query::par_iter) and
/// [`Query::par_iter_mut`](super::Query::par_iter_mut).
///
/// The calling thread starts alone and measures the time for the first few entities. It uses other threads only if the remaining
/// work is worth it. So a small loop costs hardly more than a plain loop: it reads the clock twice. The threads are those of
/// [`World::set_thread_pool`](crate::world::World::set_thread_pool). Without the feature `parallel`, the calling thread does all
/// the work.
///
/// The order of the entities is unspecified. If the function depends only on its own entity, the result and the recorded changes
/// are the same as in a plain loop. For commands and messages see [`for_each_with`](Self::for_each_with).
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// fn movement(mut bodies: Query<(&mut Position, &Velocity)>) {
///     bodies.par_iter_mut().for_each(|(mut position, velocity)| position.0 += velocity.0);
/// }
///
/// let mut world = World::new();
/// let bodies: Vec<Entity> = world.spawn_batch((0..1000).map(|n| (Position(0.0), Velocity(n as f32)))).collect();
/// world.run_system_once(movement).unwrap();
/// assert_eq!(world.get::<Position>(bodies[7]).unwrap().0, 7.0);
/// ```
#[must_use = "does nothing until `for_each` is called"]
pub struct QueryParIter<'w, 's, D: QueryData, F: QueryFilter> {
    matched: Matched<'w, 's, D::Terms, F::Terms>,
    batching: BatchingStrategy,
}

impl<'w, 's, D: QueryData, F: QueryFilter> QueryParIter<'w, 's, D, F> {
    /// Creates an iterator over all matched entities.
    #[inline]
    fn new(query: Query<'w, 's, D, F>) -> Self {
        Self { matched: query.matched(), batching: BatchingStrategy::new() }
    }

    /// Sets the number of entities that a thread takes at a time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::query::BatchingStrategy;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..100).map(Health));
    /// let mut query = world.query::<&Health>();
    /// let all = query.query(&world);
    /// all.par_iter().batching_strategy(BatchingStrategy::fixed(10)).for_each(|health| assert!(health.0 < 100));
    /// ```
    pub fn batching_strategy(self, strategy: BatchingStrategy) -> Self {
        Self { batching: strategy, ..self }
    }

    /// Calls a function with each entity's item.
    ///
    /// # Panics
    ///
    /// If the function panics for an entity, on any thread. It may or may not have been called for the other entities.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn total(all: Query<&Health>) -> u32 {
    ///     let total = AtomicU32::new(0);
    ///     all.par_iter().for_each(|health| _ = total.fetch_add(health.0, Ordering::Relaxed));
    ///     total.into_inner()
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..1000).map(Health));
    /// # assert_eq!(world.run_system_once(total).unwrap(), 499_500);
    /// ```
    pub fn for_each(self, each: impl Fn(D::Item<'w, 's>) + Send + Sync) {
        self.for_each_init(|| (), |(), item| each(item));
    }

    /// Calls a function with each entity's item and a value that is made once per batch of entities: for example a buffer, or a
    /// random number generator.
    ///
    /// # Panics
    ///
    /// See [`for_each`](Self::for_each).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Name(String);
    ///
    /// fn shout(mut names: Query<&mut Name>) {
    ///     names.par_iter_mut().for_each_init(String::new, |buffer, mut name| {
    ///         buffer.clear();
    ///         buffer.extend(name.0.chars().flat_map(char::to_uppercase));
    ///         name.0.clone_from(buffer);
    ///     });
    /// }
    /// # let mut world = World::new();
    /// # let hero = world.spawn(Name("ada".to_owned())).id();
    /// # world.run_system_once(shout).unwrap();
    /// # assert_eq!(world.get::<Name>(hero).unwrap().0, "ADA");
    /// ```
    pub fn for_each_init<T>(
        self,
        init: impl Fn() -> T + Send + Sync,
        each: impl Fn(&mut T, D::Item<'w, 's>) + Send + Sync,
    ) {
        let (pool, tasks, partition) = self.partition();
        pool.work_off(tasks, |tasks| {
            let mut reached = MatchPosition::default();
            while let Some((_, rows)) = tasks.take() {
                let mut value = init();
                // SAFETY: each task is taken once, and `self` is consumed.
                unsafe { partition.for_each::<D>(&mut reached, rows, |item| each(&mut value, item)) }
            }
        });
    }

    /// Returns the thread pool, the tasks and the partition of the rows.
    pub(crate) fn partition(self) -> (&'w Pool, Tasks, Partition<'w, 's, D::Terms, F::Terms>) {
        let partition = Partition::new(self.matched, self.batching.size);
        (&self.matched.cell().store().pool, partition.tasks(self.batching.size), partition)
    }
}

impl<'w, 's, D: QueryData<Terms: ContiguousFetch>, F: QueryFilter> QueryParIter<'w, 's, D, F> {
    /// Like [`for_each_init`](Self::for_each_init), but with the rows as slices. Rows that share ticks are in one slice.
    pub(super) fn for_each_slice_init<T>(
        self,
        init: impl Fn() -> T + Send + Sync,
        each: impl Fn(&mut T, <D::Terms as ContiguousFetch>::Slice<'w>) + Send + Sync,
    ) {
        let size = self.batching.size.map(|size| size.checked_next_multiple_of(GROUP).unwrap_or(usize::MAX));
        let aligned = Self { batching: BatchingStrategy::new(), ..self };
        let (pool, tasks, partition) = aligned.partition();
        let tasks = size.map_or(tasks, |_| partition.tasks(size));
        pool.work_off(tasks, |tasks| {
            let mut reached = MatchPosition::default();
            while let Some((_, rows)) = tasks.take() {
                let mut value = init();
                // SAFETY: the access of the query is allowed for 'w, as promised to `Query::new`. Each task is taken once, and
                // `self` is consumed, so no row is yielded twice.
                unsafe { partition.for_each_slice(&mut reached, rows, |slice| each(&mut value, slice)) }
            }
        });
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Iterates over the matched entities, for reading, on several threads.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn strongest(all: Query<&Health>) -> u32 {
    ///     let strongest = AtomicU32::new(0);
    ///     all.par_iter().for_each(|health| _ = strongest.fetch_max(health.0, Ordering::Relaxed));
    ///     strongest.into_inner()
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch((0..1000).map(Health));
    /// # assert_eq!(world.run_system_once(strongest).unwrap(), 999);
    /// ```
    #[inline]
    #[doc(alias("par_each", "par_join", "ScheduleParallel"))]
    pub fn par_iter(&self) -> QueryParIter<'_, 's, D::ReadOnly, F> {
        self.as_readonly().par_iter_inner()
    }

    /// Iterates over the matched entities on several threads.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn heal(mut all: Query<&mut Health>) {
    ///     all.par_iter_mut().for_each(|mut health| health.0 += 1);
    /// }
    /// # let mut world = World::new();
    /// # let last = world.spawn_batch((0..1000).map(Health)).last().unwrap();
    /// # world.run_system_once(heal).unwrap();
    /// # assert_eq!(world.get::<Health>(last).unwrap().0, 1000);
    /// ```
    #[inline]
    #[doc(alias("par_each", "par_join", "ScheduleParallel", "IJobParallelFor"))]
    pub fn par_iter_mut(&mut self) -> QueryParIter<'_, 's, D, F> {
        self.reborrow().par_iter_inner()
    }

    #[inline]
    /// Iterates over the matched entities on several threads, with the lifetime of the query.
    pub fn par_iter_inner(self) -> QueryParIter<'w, 's, D, F> {
        QueryParIter::new(self)
    }
}

impl_debug_of_fields! { [D: QueryData, F: QueryFilter] QueryParIter<'_, '_, D, F> { batching } }
