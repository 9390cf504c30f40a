//! Methods of [`QueryState`] and [`Query`] that access entities.
//!
//! Tests: tests/queries/access.rs, tests/queries/iteration.rs

use core::any::type_name;
use core::borrow::Borrow;

use super::blocks::Matched;
use super::cache::QueryState;
use super::combinations::QueryCombinationIter;
use super::data::{ContiguousQueryData, QueryData, ReadOnlyQueryData};
use super::error::{QueryEntityError, QuerySingleError};
use super::fetch::{ContiguousFetch, ReadOnlyFetch};
use super::filter::QueryFilter;
use super::find::{self, LookupLists};
use super::handle::Query;
use super::iter::{QueryContiguousIter, QueryIter};
use super::many::QueryManyIter;
use super::row_ranges::{RowRanges, SliceKernel};
use crate::entity::Entity;
use crate::query::change::{ReadEntity, WriteEntity};
use crate::storage::tick::RunTicks;
use crate::structure::cell::{ReadCell, StoreCell};
use crate::structure::store::{AffectedEntities, Store};

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Combines the state with a store that may be read.
    #[inline]
    pub(crate) fn query_cell<'w, 's>(&'s mut self, cell: ReadCell<'w>) -> Query<'w, 's, D::ReadOnly, F> {
        self.update(cell.store());
        // SAFETY: the state is up to date, and the whole store may be read; the query is read-only.
        unsafe { Query::new(cell.cell(), self) }.into_readonly()
    }

    /// Combines the state with an exclusively borrowed store.
    #[inline]
    pub(crate) fn query_store<'w, 's>(&'s mut self, store: &'w mut Store) -> Query<'w, 's, D, F> {
        store.flush();
        self.update(store);
        // SAFETY: the state is up to date, and the store is exclusively borrowed for 'w.
        unsafe { Query::new(StoreCell::exclusive(store), self) }
    }
}

impl<D: ReadOnlyQueryData, F: QueryFilter> QueryState<D, F> {
    /// Returns the item of an entity of a store that may be read.
    pub(crate) fn of_one<'w>(&mut self, cell: ReadCell<'w>, entity: Entity) -> Option<D::Item<'w, '_>> {
        self.query_cell(cell).with_same_terms::<D, F>().get_inner(entity).ok()
    }
}

impl<D: QueryData> QueryState<D> {
    /// Returns the item of an entity whose components are exclusively borrowed. Consumes the state.
    pub(crate) fn of_entity_mut<'w>(self, entity: WriteEntity<'w>) -> Option<D::Item<'w, 'static>> {
        let (store, entity, run_ticks) = entity.into_parts();
        // SAFETY: the query accesses only components of this entity, which are exclusively borrowed.
        unsafe { self.once(store, run_ticks, entity) }
    }

    /// # Safety
    ///
    /// - The access of `D` to this entity is allowed for `'w` and conflicts with no other borrow.
    unsafe fn once<'w>(
        mut self,
        store: &'w Store,
        run_ticks: RunTicks,
        entity: Entity,
    ) -> Option<D::Item<'w, 'static>> {
        let () = Self::FITS_ONE_ENTITY;
        self.update(store);
        let cell = StoreCell::shared(store).in_run(run_ticks);
        let books = LookupLists::new(cell, &self.cache);
        // SAFETY: the state is up to date, and the filter `()` reads nothing.
        let matched = unsafe { Matched::<D::Terms, <() as QueryFilter>::Terms>::new(cell, &self.cache) };
        // SAFETY: `books` was made from the cell and the cache; the access is forwarded.
        let got = unsafe { find::fetch(matched, books, entity) };
        got.map(|got| D::item(got, None))
    }
}

impl<D: ReadOnlyQueryData> QueryState<D> {
    /// Returns the item of an entity that may be read. Consumes the state.
    pub(crate) fn of_entity<'w>(self, entity: ReadEntity<'w>) -> Option<D::Item<'w, 'static>> {
        // SAFETY: all components of this entity may be read, and the query reads no others.
        unsafe { self.once(entity.store(), entity.run_ticks(), entity.id()) }
    }
}

impl<'w, 's, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the items of several entities. An entity may occur several times.
    pub(crate) fn get_many_readonly<const N: usize>(
        self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w, 's>; N], QueryEntityError> {
        // SAFETY: the items are read-only, so any number of them may be alive.
        unsafe { self.fetch_each(entities) }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the item of each of several entities.
    ///
    /// # Safety
    ///
    /// - The conditions of [`fetch`](Self::fetch) hold for each of the entities.
    unsafe fn fetch_each<const N: usize>(
        &self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w, 's>; N], QueryEntityError> {
        // SAFETY: forwarded: no other item of the entity with mutable access is alive.
        let items = entities.map(|entity| unsafe { self.fetch(entity) });
        match items.iter().position(Option::is_none) {
            Some(missing) => Err(self.why_not(entities[missing])),
            None => Ok(items.map(|item| item.expect("checked above"))),
        }
    }

    /// Iterates over the matched entities, for reading.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let mut state = world.query::<&Health>();
    /// let total: u32 = state.query(&world).iter().map(|health| health.0).sum();
    /// assert_eq!(total, 3);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("each", "ForEach"))]
    pub fn iter(&self) -> QueryIter<'_, 's, D::ReadOnly, F> {
        self.as_readonly().into_iter()
    }

    /// Iterates over the matched entities.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// let mut state = world.query::<&mut Health>();
    /// state.query_mut(&mut world).iter_mut().for_each(|mut health| health.0 += 1);
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 2);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("each", "each_entity", "ForEach"))]
    pub fn iter_mut(&mut self) -> QueryIter<'_, 's, D, F> {
        self.reborrow().into_iter()
    }

    /// Iterates over the matched rows as slices, for reading. Yields one item per table; all slices of an item have the same
    /// length.
    ///
    /// `&T` becomes `&[T]`, `Option<&T>` becomes `Option<&[T]>`, `Entity` becomes `&[Entity]`, `Has<T>` stays a `bool`. Filters on
    /// sparse components split a table into ranges of rows; values of sparse components are yielded one by one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Mass(f32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(|n| Mass(n as f32)));
    /// let mut query = world.query::<&Mass>();
    /// let total: f32 = query.contiguous_iter(&world).flatten().map(|mass| mass.0).sum();
    /// assert_eq!(total, 4950.0);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("iter_batched", "chunks", "ToComponentDataArray"))]
    pub fn contiguous_iter(&self) -> QueryContiguousIter<'_, 's, D::ReadOnly, F>
    where
        D::ReadOnly: ContiguousQueryData,
    {
        self.as_readonly().into_contiguous_iter()
    }

    /// Iterates over the matched rows as slices. Yields one item per table. `&mut T` becomes `&mut [T]`; see
    /// [`Query::contiguous_iter`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// let mut state = world.query::<&mut Health>();
    /// for slice in state.query_mut(&mut world).contiguous_iter_mut() {
    ///     slice.iter_mut().for_each(|health| health.0 *= 5);
    /// }
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 5);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("IJobChunk", "iter_batched", "chunks", "run", "iter_slices"))]
    pub fn contiguous_iter_mut(&mut self) -> QueryContiguousIter<'_, 's, D, F>
    where
        D: ContiguousQueryData,
    {
        self.reborrow().into_contiguous_iter()
    }

    #[inline]
    pub(crate) fn into_contiguous_iter(self) -> QueryContiguousIter<'w, 's, D, F> {
        QueryContiguousIter::new(self)
    }

    /// Calls the kernel with the matching entities among some entities, as slices, until the kernel fails.
    #[inline(always)]
    pub(crate) fn for_each_affected<K: SliceKernel<D::Terms>>(
        &mut self,
        entities: AffectedEntities<'_>,
        kernel: &mut K,
    ) -> Result<(), K::Error>
    where
        D: QueryData<Terms: ContiguousFetch>,
    {
        let matched = self.matched();
        let mut rows = |table, rows| {
            // SAFETY: the access is allowed, as promised to `new`; `self` is borrowed mutably, and the arguments of the function do
            // not outlive its call.
            unsafe { RowRanges::plainly(matched, table, rows, kernel) }
        };
        match entities {
            AffectedEntities::Rows { table, first, count } => rows(table, first..first + count),
            AffectedEntities::Listed(entities) => entities.iter().try_for_each(|&entity| {
                let Some(location) = matched.cell().store().structure.entities.get(entity) else { return Ok(()) };
                let row = location.row as usize;
                rows(location.table, row..row + 1)
            }),
        }
    }

    /// Converts into the matched rows, for a loop that is compiled for several instruction sets.
    #[inline]
    pub(crate) fn into_row_ranges(self) -> RowRanges<'w, 's, D::Terms, F::Terms>
    where
        D: QueryData<Terms: ContiguousFetch>,
    {
        // SAFETY: the access is allowed, as promised to `new`; `self` is consumed.
        unsafe { RowRanges::all(self.matched()) }
    }

    /// Returns the item of one entity, for reading. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(7)).id();
    /// let mut state = world.query::<&Health>();
    /// let query = state.query(&world);
    /// assert_eq!(query.get(entity).unwrap().0, 7);
    /// ```
    #[inline]
    #[doc(alias("query_one", "GetComponent"))]
    pub fn get(&self, entity: Entity) -> Result<<D::ReadOnly as QueryData>::Item<'_, 's>, QueryEntityError> {
        self.as_readonly().get_inner(entity)
    }

    /// Returns the item of one entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(7)).id();
    /// let mut state = world.query::<&mut Health>();
    /// state.query_mut(&mut world).get_mut(entity).unwrap().0 -= 3;
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 4);
    /// ```
    #[inline]
    #[doc(alias("query_one_mut"))]
    pub fn get_mut(&mut self, entity: Entity) -> Result<D::Item<'_, 's>, QueryEntityError> {
        self.reborrow().get_inner(entity)
    }

    /// Returns the item of one entity, with the lifetime of the query.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(7)).id();
    /// let mut state = world.query::<&Health>();
    /// let health: &Health = state.query(&world).get_inner(entity).unwrap(); // The query itself is gone.
    /// assert_eq!(health.0, 7);
    /// ```
    #[inline]
    pub fn get_inner(self, entity: Entity) -> Result<D::Item<'w, 's>, QueryEntityError> {
        let store = self.matched().cell().store();
        self.fetch_inner(entity).ok_or_else(|| find::why_not::<D>(store, entity))
    }

    /// Returns the items of several entities, for reading.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut state = world.query::<&Health>();
    /// let query = state.query(&world);
    /// let [first, second] = query.get_many([b, a]).unwrap();
    /// assert_eq!((first.0, second.0), (2, 1));
    /// ```
    pub fn get_many<const N: usize>(
        &self,
        entities: [Entity; N],
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'_, 's>; N], QueryEntityError> {
        self.as_readonly().get_many_readonly(entities)
    }

    /// Returns the items of several different entities. `O(N²)` comparisons.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive, does not match or occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut state = world.query::<&mut Health>();
    /// let mut query = state.query_mut(&mut world);
    /// let [mut first, second] = query.get_many_mut([a, b]).unwrap();
    /// first.0 += second.0;
    /// assert_eq!(world.get::<Health>(a).unwrap().0, 3);
    /// ```
    #[doc(alias("get_disjoint_mut", "query_many_mut"))]
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'_, 's>; N], QueryEntityError> {
        self.reborrow().get_many_inner(entities)
    }

    /// Returns the items of several different entities, with the lifetime of the query. `O(N²)` comparisons.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive, does not match or occurs twice.
    pub fn get_many_inner<const N: usize>(
        self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w, 's>; N], QueryEntityError> {
        for (at, entity) in entities.iter().enumerate() {
            if entities[..at].contains(entity) {
                return Err(QueryEntityError::AliasedMutability(*entity));
            }
        }
        // SAFETY: the entities differ, and `self` is consumed.
        unsafe { self.fetch_each(entities) }
    }

    /// Returns the item of the only entity that the query matches, for reading.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(7));
    /// let mut state = world.query::<&Health>();
    /// assert_eq!(state.query(&world).single().unwrap().0, 7);
    /// ```
    #[doc(alias("GetSingleton", "GetSingletonEntity", "first"))]
    pub fn single(&self) -> Result<<D::ReadOnly as QueryData>::Item<'_, 's>, QuerySingleError> {
        self.as_readonly().single_inner()
    }

    /// Returns the item of the only entity that the query matches.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(7)).id();
    /// let mut state = world.query::<&mut Health>();
    /// state.query_mut(&mut world).single_mut().unwrap().0 = 9;
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 9);
    /// ```
    pub fn single_mut(&mut self) -> Result<D::Item<'_, 's>, QuerySingleError> {
        self.reborrow().single_inner()
    }

    /// Returns the item of the only entity that the query matches, with the lifetime of the query.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    pub fn single_inner(self) -> Result<D::Item<'w, 's>, QuerySingleError> {
        let mut items = self.into_iter();
        let first = items.next().ok_or(QuerySingleError::NoEntities(type_name::<D>()))?;
        match items.next() {
            None => Ok(first),
            Some(_) => Err(QuerySingleError::MultipleEntities(type_name::<D>())),
        }
    }

    /// Iterates over a list of entities. Yields the item of each entity, for reading, or an error if the entity does not match.
    /// `matched` skips entities that do not match; `unwrapped` panics at them.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut state = world.query::<&Health>();
    /// let found: Vec<u32> = state.query(&world).iter_many([b, a, b]).matched().map(|health| health.0).collect();
    /// assert_eq!(found, [2, 1, 2]);
    /// ```
    #[inline]
    pub fn iter_many<I: IntoIterator<Item: Borrow<Entity>>>(
        &self,
        entities: I,
    ) -> QueryManyIter<'_, 's, D::ReadOnly, F, I::IntoIter> {
        self.as_readonly().iter_many_inner(entities)
    }

    /// Iterates over a list of entities with `fetch_next`. Yields the item of each entity, or an error if the entity does not
    /// match.
    ///
    /// See [`QueryManyIter::fetch_next`] for an example.
    #[inline]
    pub fn iter_many_mut<I: IntoIterator<Item: Borrow<Entity>>>(
        &mut self,
        entities: I,
    ) -> QueryManyIter<'_, 's, D, F, I::IntoIter> {
        self.reborrow().iter_many_inner(entities)
    }

    /// Iterates over a list of entities, with the lifetime of the query. Yields the item of each entity, or an error if the entity
    /// does not match.
    #[inline]
    pub fn iter_many_inner<I: IntoIterator<Item: Borrow<Entity>>>(
        self,
        entities: I,
    ) -> QueryManyIter<'w, 's, D, F, I::IntoIter> {
        QueryManyIter::new(self, entities.into_iter())
    }

    /// Iterates over all ways to choose `K` of the matched entities, for reading.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Number(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Number(1), Number(2), Number(3)]);
    /// let mut query = world.query::<&Number>();
    /// let products: Vec<u32> = query.iter_combinations(&world).map(|[a, b]| a.0 * b.0).collect();
    /// assert_eq!(products, [2, 3, 6]);
    /// ```
    #[must_use]
    pub fn iter_combinations<const K: usize>(&self) -> QueryCombinationIter<'_, 's, D::ReadOnly, F, K> {
        self.as_readonly().iter_combinations_inner()
    }

    /// Iterates with `fetch_next` over all ways to choose `K` of the matched entities.
    ///
    /// See [`QueryCombinationIter::fetch_next`] for an example.
    #[must_use]
    #[doc(alias("pairs"))]
    pub fn iter_combinations_mut<const K: usize>(&mut self) -> QueryCombinationIter<'_, 's, D, F, K> {
        self.reborrow().iter_combinations_inner()
    }

    /// Iterates over all ways to choose `K` of the matched entities, with the lifetime of the query.
    #[must_use]
    pub fn iter_combinations_inner<const K: usize>(self) -> QueryCombinationIter<'w, 's, D, F, K> {
        QueryCombinationIter::new(self)
    }

    /// Returns whether the query matches an entity. `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [full, empty] = [world.spawn(Health(7)).id(), world.spawn_empty().id()];
    /// let mut state = world.query::<&Health>();
    /// let query = state.query(&world);
    /// assert!(query.contains(full) && !query.contains(empty));
    /// ```
    #[must_use]
    #[doc(alias("satisfies"))]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_ok()
    }

    /// Returns whether the query matches no entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let mut state = world.query::<&Health>();
    /// assert!(state.query(&world).is_empty());
    /// world.spawn(Health(1));
    /// assert!(!state.query(&world).is_empty());
    /// ```
    #[must_use]
    #[doc(alias("is_true", "IsEmpty"))]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the number of entities that the query matches. `O(tables)`, or `O(entities)` with sparse components.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let mut state = world.query::<&Health>();
    /// assert_eq!(state.query(&world).count(), 2);
    /// ```
    #[must_use]
    #[doc(alias("CalculateEntityCount", "len"))]
    pub fn count(&self) -> usize {
        self.iter().count()
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> IntoIterator for Query<'w, 's, D, F> {
    type Item = D::Item<'w, 's>;
    type IntoIter = QueryIter<'w, 's, D, F>;

    #[inline]
    fn into_iter(self) -> QueryIter<'w, 's, D, F> {
        QueryIter::new(self)
    }
}

impl<'a, 's, D: QueryData, F: QueryFilter> IntoIterator for &'a Query<'_, 's, D, F> {
    type Item = <D::ReadOnly as QueryData>::Item<'a, 's>;
    type IntoIter = QueryIter<'a, 's, D::ReadOnly, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, 's, D: QueryData, F: QueryFilter> IntoIterator for &'a mut Query<'_, 's, D, F> {
    type Item = D::Item<'a, 's>;
    type IntoIter = QueryIter<'a, 's, D, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl_debug!([D: QueryData, F: QueryFilter] Query<'_, '_, D, F> => |_this, f|
    write!(f, "Query<{}, {}>", type_name::<D>(), type_name::<F>()));
