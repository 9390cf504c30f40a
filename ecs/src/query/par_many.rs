//! Iteration over a list of entities on several threads.
//!
//! Tests: tests/queries/parallel_lists.rs

use alloc::vec::Vec;
use core::borrow::Borrow;

use super::data::{QueryData, ReadOnlyQueryData};
use super::error::QueryEntityError;
use super::filter::QueryFilter;
use super::handle::Query;
use super::par::BatchingStrategy;
use crate::entity::{Entity, EntitySet};
use crate::util::pool::Tasks;

/// Iterates over the items of a list of entities on several threads. Made by
/// [`Query::par_iter_many`](super::Query::par_iter_many).
///
/// Threads are used in the same way as by [`QueryParIter`](super::QueryParIter). The order of the entities is
/// unspecified.
#[must_use = "does nothing until `for_each` is called"]
pub struct QueryParManyIter<'w, 's, D: QueryData, F: QueryFilter> {
    query: Query<'w, 's, D, F>,
    entities: Vec<Entity>,
    batching: BatchingStrategy,
}

impl<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> QueryParManyIter<'w, 's, D, F> {
    /// Sets the number of entities that a thread takes at a time.
    pub fn batching_strategy(self, strategy: BatchingStrategy) -> Self {
        Self { batching: strategy, ..self }
    }

    /// Calls a function with the item of each entity, or with the error for an entity that does not match.
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
    /// let mut world = World::new();
    /// let ids = [world.spawn(Health(1)).id(), world.spawn_empty().id(), world.spawn(Health(3)).id()];
    /// let mut state = world.query::<&Health>();
    /// let (total, strangers) = (AtomicU32::new(0), AtomicU32::new(0));
    /// state.query(&world).par_iter_many(ids).for_each(|health| match health {
    ///     Ok(health) => _ = total.fetch_add(health.0, Ordering::Relaxed),
    ///     Err(_) => _ = strangers.fetch_add(1, Ordering::Relaxed),
    /// });
    /// assert_eq!((total.into_inner(), strangers.into_inner()), (4, 1));
    /// ```
    pub fn for_each(self, each: impl Fn(Result<D::Item<'w, 's>, QueryEntityError>) + Send + Sync) {
        self.for_each_init(|| (), |(), item| each(item));
    }

    /// Like [`for_each`](Self::for_each), but with a value that is made once per batch of entities.
    ///
    /// # Panics
    ///
    /// See [`for_each`](Self::for_each).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::utils::Parallel;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    /// let mut state = world.query::<&Health>();
    /// let mut totals = Parallel::<u32>::default();
    /// let all = state.query(&world);
    /// all.par_iter_many(&ids).for_each_init(|| totals.borrow_local_mut(), |total, health| **total += health.unwrap().0);
    /// assert_eq!(totals.iter_mut().map(|total| *total).sum::<u32>(), 4950);
    /// ```
    pub fn for_each_init<T>(
        self,
        init: impl Fn() -> T + Send + Sync,
        each: impl Fn(&mut T, Result<D::Item<'w, 's>, QueryEntityError>) + Send + Sync,
    ) {
        let Self { query, entities, batching } = &self;
        let tasks =
            batching.size().map_or_else(|| Tasks::of(entities.len()), |size| Tasks::of_size(entities.len(), size));
        query.matched().cell().store().pool.work_off(tasks.joined(), |tasks| {
            while let Some((_, range)) = tasks.take() {
                let mut value = init();
                query.iter_many_inner(&entities[range]).for_each(|item| each(&mut value, item));
            }
        });
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Iterates over the items of a list of entities, for reading, on several threads. An entity may occur several
    /// times.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    /// let mut state = world.query::<&Health>();
    /// state.query(&world).par_iter_many(&ids).for_each(|health| assert!(health.unwrap().0 < 100));
    /// ```
    pub fn par_iter_many<I: IntoIterator<Item: Borrow<Entity>>>(
        &self,
        entities: I,
    ) -> QueryParManyIter<'_, 's, D::ReadOnly, F> {
        let entities = entities.into_iter().map(|entity| *entity.borrow()).collect();
        QueryParManyIter { query: self.as_readonly(), entities, batching: BatchingStrategy::new() }
    }

    /// Like [`par_iter_many`](Self::par_iter_many), but for a set of entities without duplicates.
    ///
    /// ```
    /// use strata_ecs::entity::UniqueEntityVec;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids = UniqueEntityVec::try_new([world.spawn(Health(1)).id(), world.spawn(Health(2)).id()]).unwrap();
    /// let mut state = world.query::<&Health>();
    /// state.query(&world).par_iter_many_unique(&ids).for_each(|health| assert!(health.unwrap().0 < 3));
    /// ```
    pub fn par_iter_many_unique<E: EntitySet>(&self, entities: E) -> QueryParManyIter<'_, 's, D::ReadOnly, F> {
        self.par_iter_many(entities)
    }
}

impl_debug!([D: QueryData, F: QueryFilter] QueryParManyIter<'_, '_, D, F> => |this, f|
    f.debug_struct("QueryParManyIter").field("entities", &this.entities.len()).finish_non_exhaustive());
