//! Going through the entities that a query matches on several threads.

use super::blocks::Matched;
use super::data::QueryData;
use super::fetch::ContiguousFetch;
use super::filter::QueryFilter;
use super::handle::Query;
use super::partition::{Partition, Reached};
use crate::pool::{Pool, Tasks};
use crate::tracking::GROUP;

/// How many entities a thread takes at a time, in a parallel loop.
///
/// At first that is settled by the number of entities: enough pieces for any number of threads, and pieces that are large
/// enough to cost next to nothing. A loop over few entities, of which each means much work, is better cut by hand.
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
    /// The usual one.
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

    /// So many entities at a time. With filters that are asked for each row, such as [`Changed`](super::Changed), it is rounded
    /// up to a multiple of 64.
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

    /// How many entities, if it is settled.
    pub(crate) fn size(self) -> Option<usize> {
        self.size
    }
}

/// The entities that a query matches, to be gone through on several threads. Made by
/// [`Query::par_iter`](super::Query::par_iter) and [`Query::par_iter_mut`](super::Query::par_iter_mut).
///
/// The calling thread begins, looks after a few entities how long they took, and calls for help only if what is left is worth
/// it. So a small loop takes hardly longer than a plain one: it looks at the clock twice. The threads are those of
/// [`World::set_thread_pool`](crate::world::World::set_thread_pool); without the feature `parallel` there is only the calling
/// one.
///
/// The order of the entities is unspecified. What is done with one entity alone gives the same result as in a plain loop,
/// and marks the same changes. For commands and messages see [`for_each_with`](Self::for_each_with).
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
    /// All entities that match.
    #[inline]
    fn new(query: Query<'w, 's, D, F>) -> Self {
        Self { matched: query.matched(), batching: BatchingStrategy::new() }
    }

    /// Sets how many entities a thread takes at a time.
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
    /// If the function panics for one, on any thread. Others may have been gone through then, and some not.
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

    /// Calls a function with each entity's item, and with a value that is made for each run of entities that a thread takes at
    /// a time: a buffer, or a generator of random numbers.
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each).
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
            let mut reached = Reached::default();
            while let Some((_, rows)) = tasks.take() {
                let mut value = init();
                // SAFETY: each task is taken once, and `self` is used up.
                unsafe { partition.for_each::<D>(&mut reached, rows, |item| each(&mut value, item)) }
            }
        });
    }

    /// What it takes to run the loop.
    pub(crate) fn partition(self) -> (&'w Pool, Tasks, Partition<'w, 's, D::Terms, F::Terms>) {
        let partition = Partition::new(self.matched, self.batching.size);
        (&self.matched.cell().store().pool, partition.tasks(self.batching.size), partition)
    }
}

impl<'w, 's, D: QueryData<Terms: ContiguousFetch>, F: QueryFilter> QueryParIter<'w, 's, D, F> {
    /// As [`for_each_init`](Self::for_each_init), with the rows as slices. Rows that have ticks in common come in one slice.
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
            let mut reached = Reached::default();
            while let Some((_, rows)) = tasks.take() {
                let mut value = init();
                // SAFETY: the access of the query is allowed for 'w, as promised to `Query::new`. Each task is taken once, and `self` is used
                // up, so no row is given out otherwise.
                unsafe { partition.for_each_slice(&mut reached, rows, |slice| each(&mut value, slice)) }
            }
        });
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// The matched entities, to read on several threads.
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

    /// The matched entities, for several threads.
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
    /// The same entities for several threads, for as long as the query could live.
    pub fn par_iter_inner(self) -> QueryParIter<'w, 's, D, F> {
        QueryParIter::new(self)
    }
}

impl_debug_of_fields! { [D: QueryData, F: QueryFilter] QueryParIter<'_, '_, D, F> { batching } }
