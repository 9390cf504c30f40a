//! The queries of a world and the methods of [`QueryState`].
//!
//! Tests: tests/queries/cache.rs, tests/queries/iteration.rs

mod get;

use core::borrow::Borrow;

use super::cast::World;
use crate::entity::Entity;
use crate::query::{
    ContiguousQueryData, Query, QueryCombinationIter, QueryContiguousIter, QueryData, QueryFilter, QueryIter,
    QueryManyIter, QueryParIter, QueryState,
};

impl World {
    /// Creates a query, which can be used with this world any number of times.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably. The compiler rejects such a query, unless the component has type
    /// parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter(&world).map(|health| health.0).sum::<u32>(), 7);
    /// ```
    #[must_use]
    #[doc(alias("each", "for_each", "ForEach", "iter", "IntoQuery", "query_mut"))]
    #[track_caller]
    pub fn query<D: QueryData>(&mut self) -> QueryState<D> {
        let () = QueryState::<D>::BORROWS_AGREE;
        self.query_filtered()
    }

    /// Creates a query with a filter, which can be used with this world any number of times.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably. The compiler rejects such a query, unless the component has type
    /// parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Mana(7)));
    /// world.spawn(Health(4));
    /// let mut query = world.query_filtered::<&Health, Without<Mana>>();
    /// assert_eq!(query.single(&world).unwrap(), &Health(4));
    /// ```
    #[must_use]
    #[doc(alias("each", "ForEach"))]
    #[track_caller]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&mut self) -> QueryState<D, F> {
        let () = QueryState::<D, F>::BORROWS_AGREE;
        QueryState::in_store(&mut self.store)
    }

    /// Creates a query from a shared world; `None` if a component of the query is not registered.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably. The compiler rejects such a query, unless the component has type
    /// parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert!(world.try_query::<&Mana>().is_none());
    /// let mut query = world.try_query::<&Health>().unwrap();
    /// assert_eq!(query.count(&world), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn try_query<D: QueryData>(&self) -> Option<QueryState<D>> {
        let () = QueryState::<D>::BORROWS_AGREE;
        QueryState::find(&self.store)
    }

    /// Creates a query with a filter from a shared world; `None` if a component of the query or filter is not
    /// registered.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably. The compiler rejects such a query, unless the component has type
    /// parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert!(world.try_query_filtered::<&Health, With<Mana>>().is_none());
    /// world.register_component::<Mana>();
    /// let mut query = world.try_query_filtered::<&Health, With<Mana>>().unwrap();
    /// assert!(query.is_empty(&world));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn try_query_filtered<D: QueryData, F: QueryFilter>(&self) -> Option<QueryState<D, F>> {
        let () = QueryState::<D, F>::BORROWS_AGREE;
        QueryState::find(&self.store)
    }
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Creates a query, like [`World::query_filtered`].
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably. The compiler rejects such a query, unless the component has type
    /// parameters.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut state = QueryState::<&Health>::new(&mut world);
    /// assert_eq!(state.single(&world).unwrap(), &Health(3));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(world: &mut World) -> Self {
        world.query_filtered()
    }

    /// Returns the query over a shared world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut state = world.query::<&Health>();
    /// let query = state.query(&world);
    /// assert_eq!(query.get(entity).unwrap(), query.single().unwrap());
    /// ```
    #[inline]
    #[doc(alias("view", "ViewBorrow"))]
    pub fn query<'w, 's>(&'s mut self, world: &'w World) -> Query<'w, 's, D::ReadOnly, F> {
        self.query_cell(world.read())
    }

    /// Returns the query over a mutably borrowed world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut state = world.query::<&mut Health>();
    /// let mut query = state.query_mut(&mut world);
    /// query.iter_mut().for_each(|mut health| health.0 += 1);
    /// assert_eq!(query.get(entity).unwrap(), &Health(4));
    /// ```
    #[inline]
    #[doc(alias("view_mut"))]
    pub fn query_mut<'w, 's>(&'s mut self, world: &'w mut World) -> Query<'w, 's, D, F> {
        self.query_store(&mut world.store)
    }

    /// Iterates over the matched entities, for reading. See [`Query::iter`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<(Entity, &Health)>();
    /// for (id, health) in query.iter(&world) {
    ///     assert_eq!((id, health.0), (entity, 3));
    /// }
    /// ```
    #[inline]
    #[doc(alias("each"))]
    pub fn iter<'w, 's>(&'s mut self, world: &'w World) -> QueryIter<'w, 's, D::ReadOnly, F> {
        self.query(world).into_iter()
    }

    /// Iterates over the matched entities. See [`Query::iter_mut`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<&mut Health>();
    /// for mut health in query.iter_mut(&mut world) {
    ///     health.0 *= 2;
    /// }
    /// assert_eq!(world.get(entity), Some(&Health(6)));
    /// ```
    #[inline]
    pub fn iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryIter<'w, 's, D, F> {
        self.query_mut(world).into_iter()
    }

    /// Iterates over the matched entities, for reading on several threads. See [`Query::par_iter`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..1000).map(Health));
    /// let mut query = world.query::<&Health>();
    /// query.par_iter(&world).for_each(|health| assert!(health.0 < 1000));
    /// ```
    #[inline]
    pub fn par_iter<'w, 's>(&'s mut self, world: &'w World) -> QueryParIter<'w, 's, D::ReadOnly, F> {
        self.query(world).par_iter_inner()
    }

    /// Iterates over the matched entities, on several threads. See [`Query::par_iter_mut`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let last = world.spawn_batch((0..1000).map(Health)).last().unwrap();
    /// let mut query = world.query::<&mut Health>();
    /// query.par_iter_mut(&mut world).for_each(|mut health| health.0 *= 2);
    /// assert_eq!(world.get(last), Some(&Health(1998)));
    /// ```
    #[inline]
    pub fn par_iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryParIter<'w, 's, D, F> {
        self.query_mut(world).par_iter_inner()
    }

    /// Iterates over slices of the matched rows, for reading. See [`Query::contiguous_iter`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(Health));
    /// let mut query = world.query::<&Health>();
    /// for healths in query.contiguous_iter(&world) {
    ///     assert_eq!(healths.len(), 10);
    /// }
    /// ```
    #[inline]
    pub fn contiguous_iter<'w, 's>(&'s mut self, world: &'w World) -> QueryContiguousIter<'w, 's, D::ReadOnly, F>
    where
        D::ReadOnly: ContiguousQueryData,
    {
        self.query(world).into_contiguous_iter()
    }

    /// Iterates over slices of the matched rows. See [`Query::contiguous_iter_mut`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..10).map(Health)).collect();
    /// let mut query = world.query::<&mut Health>();
    /// for healths in query.contiguous_iter_mut(&mut world) {
    ///     healths.iter_mut().for_each(|health| health.0 += 1);
    /// }
    /// assert_eq!(world.get(ids[9]), Some(&Health(10)));
    /// ```
    #[inline]
    pub fn contiguous_iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryContiguousIter<'w, 's, D, F>
    where
        D: ContiguousQueryData,
    {
        self.query_mut(world).into_contiguous_iter()
    }

    /// Iterates over the read-only query items of a list of entities. See [`Query::iter_many`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [3, 4].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&Health>();
    /// let healths: Vec<u32> = query.iter_many(&world, [b, a, b]).matched().map(|health| health.0).collect();
    /// assert_eq!(healths, [4, 3, 4]);
    /// ```
    pub fn iter_many<'w, 's, I: IntoIterator<Item: Borrow<Entity>>>(
        &'s mut self,
        world: &'w World,
        entities: I,
    ) -> QueryManyIter<'w, 's, D::ReadOnly, F, I::IntoIter> {
        self.query(world).iter_many_inner(entities)
    }

    /// Iterates over the query items of a list of entities. See [`Query::iter_many_mut`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [3, 4].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&mut Health>();
    /// let mut healths = query.iter_many_mut(&mut world, [a, b, a]).matched();
    /// while let Some(mut health) = healths.fetch_next() {
    ///     health.0 += 1;
    /// }
    /// assert_eq!(world.get(a), Some(&Health(5)));
    /// ```
    pub fn iter_many_mut<'w, 's, I: IntoIterator<Item: Borrow<Entity>>>(
        &'s mut self,
        world: &'w mut World,
        entities: I,
    ) -> QueryManyIter<'w, 's, D, F, I::IntoIter> {
        self.query_mut(world).iter_many_inner(entities)
    }

    /// Iterates over all combinations of `K` matched entities, for reading. See [`Query::iter_combinations`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..4).map(Health));
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter_combinations::<2>(&world).count(), 6);
    /// ```
    pub fn iter_combinations<'w, 's, const K: usize>(
        &'s mut self,
        world: &'w World,
    ) -> QueryCombinationIter<'w, 's, D::ReadOnly, F, K> {
        self.query(world).iter_combinations_inner()
    }

    /// Iterates over all combinations of `K` matched entities. See [`Query::iter_combinations_mut`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..3).map(Health)).collect();
    /// let mut query = world.query::<&mut Health>();
    /// let mut pairs = query.iter_combinations_mut(&mut world);
    /// while let Some([mut a, mut b]) = pairs.fetch_next() {
    ///     a.0 += 10;
    ///     b.0 += 10;
    /// }
    /// assert_eq!(world.get(ids[2]), Some(&Health(22)));
    /// ```
    pub fn iter_combinations_mut<'w, 's, const K: usize>(
        &'s mut self,
        world: &'w mut World,
    ) -> QueryCombinationIter<'w, 's, D, F, K> {
        self.query_mut(world).iter_combinations_inner()
    }

    /// Returns whether the query matches an entity. `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// assert!(world.query::<&Health>().contains(&world, entity));
    /// assert!(!world.query::<&Mana>().contains(&world, entity));
    /// ```
    #[doc(alias("satisfies"))]
    pub fn contains(&mut self, world: &World, entity: Entity) -> bool {
        self.query(world).contains(entity)
    }

    /// Returns whether the query matches no entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut query = world.query::<&Health>();
    /// assert!(query.is_empty(&world));
    /// world.spawn(Health(3));
    /// assert!(!query.is_empty(&world));
    /// ```
    pub fn is_empty(&mut self, world: &World) -> bool {
        self.query(world).is_empty()
    }

    /// Returns the number of entities that the query matches. See [`Query::count`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10).map(Health));
    /// assert_eq!(world.query::<&Health>().count(&world), 10);
    /// ```
    pub fn count(&mut self, world: &World) -> usize {
        self.query(world).count()
    }
}

/// Queries that are derived from this one and can be stored. [`Query::transmute_lens`] documents what they may borrow,
/// and when these methods panic. A derived query never matches an entity that this query does not match. This also
/// holds for tables that are created later.
impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Returns a query for the same entities, with other data.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(1), Mana(2)));
    /// world.spawn(Health(3));
    /// let mages = world.query::<(&mut Health, &Mana)>();
    /// let mut healths = mages.transmute::<&Health>(&world);
    /// assert_eq!(healths.single(&world).unwrap().0, 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn transmute<NewD: QueryData>(&self, world: &World) -> QueryState<NewD> {
        self.transmuted(&world.store)
    }

    /// Returns a query for the same entities, or some of them, with other data and another filter.
    #[must_use]
    #[track_caller]
    pub fn transmute_filtered<NewD: QueryData, NewF: QueryFilter>(&self, world: &World) -> QueryState<NewD, NewF> {
        self.transmuted(&world.store)
    }

    /// Returns a query for the entities that match both this query and another one, with data of both.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    /// # let mut world = World::new();
    /// world.spawn((Health(1), Mana(2)));
    /// world.spawn(Health(3));
    /// let (healths, manas) = (world.query::<&Health>(), world.query::<&Mana>());
    /// let mut both = healths.join::<&Mana, (&Health, &Mana)>(&world, &manas);
    /// let (health, mana) = both.single(&world).unwrap();
    /// assert_eq!((health.0, mana.0), (1, 2));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn join<OtherD: QueryData, NewD: QueryData>(
        &self,
        world: &World,
        other: &QueryState<OtherD>,
    ) -> QueryState<NewD> {
        self.joined(&world.store, other)
    }

    /// Returns a query for entities that match both queries and another filter, like [`join`](Self::join).
    #[must_use]
    #[track_caller]
    pub fn join_filtered<OtherD: QueryData, OtherF: QueryFilter, NewD: QueryData, NewF: QueryFilter>(
        &self,
        world: &World,
        other: &QueryState<OtherD, OtherF>,
    ) -> QueryState<NewD, NewF> {
        self.joined(&world.store, other)
    }
}
