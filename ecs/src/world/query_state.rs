//! Queries of a world.

mod create;

use core::borrow::Borrow;

use super::cast::World;
use crate::entity::{Entity, UniqueEntityArray};
use crate::query::{
    ContiguousQueryData, Query, QueryCombinationIter, QueryContiguousIter, QueryData, QueryEntityError, QueryFilter,
    QueryIter, QueryManyIter, QueryParIter, QuerySingleError, QueryState,
};

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// As [`World::query_filtered`].
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably, and the compiler could not tell: it can unless the component
    /// has type parameters.
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

    /// The query beside a shared world.
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
        self.beside(world.read())
    }

    /// The query beside a mutably borrowed world.
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
        self.beside_mut(&mut world.store)
    }

    /// The matched entities, to read. See [`Query::iter`].
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

    /// The matched entities. See [`Query::iter_mut`].
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

    /// The matched entities, to read on several threads. See [`Query::par_iter`].
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

    /// The matched entities, for several threads. See [`Query::par_iter_mut`].
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

    /// The matched rows as slices, to read. See [`Query::contiguous_iter`].
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

    /// The matched rows as slices. See [`Query::contiguous_iter_mut`].
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

    /// What the query yields for one entity, to read. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
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
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.get(&world, entity).unwrap(), &Health(3));
    /// assert!(world.query::<&Mana>().get(&world, entity).is_err());
    /// ```
    #[inline]
    #[doc(alias("query_one"))]
    pub fn get<'w>(
        &mut self,
        world: &'w World,
        entity: Entity,
    ) -> Result<<D::ReadOnly as QueryData>::Item<'w, '_>, QueryEntityError> {
        self.query(world).get_inner(entity)
    }

    /// What the query yields for one entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<&mut Health>();
    /// query.get_mut(&mut world, entity).unwrap().0 += 1;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[inline]
    pub fn get_mut<'w>(&mut self, world: &'w mut World, entity: Entity) -> Result<D::Item<'w, '_>, QueryEntityError> {
        self.query_mut(world).get_inner(entity)
    }

    /// What the query yields for several entities, to read.
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids = [3, 4].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.get_many(&world, ids).unwrap(), [&Health(3), &Health(4)]);
    /// ```
    pub fn get_many<'w, const N: usize>(
        &mut self,
        world: &'w World,
        entities: [Entity; N],
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'w, '_>; N], QueryEntityError> {
        self.query(world).get_many_readonly(entities)
    }

    /// What the query yields for several different entities.
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive, does not match or occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [from, to] = [3, 4].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&mut Health>();
    /// let [mut a, mut b] = query.get_many_mut(&mut world, [from, to]).unwrap();
    /// b.0 += std::mem::take(&mut a.0);
    /// assert_eq!(world.get(to), Some(&Health(7)));
    /// assert!(query.get_many_mut(&mut world, [to, to]).is_err());
    /// ```
    pub fn get_many_mut<'w, const N: usize>(
        &mut self,
        world: &'w mut World,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w, '_>; N], QueryEntityError> {
        self.query_mut(world).get_many_inner(entities)
    }

    /// What the query yields for several different entities, to read. See [`Query::get_many_unique`].
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive or does not match.
    pub fn get_many_unique<'w, const N: usize>(
        &mut self,
        world: &'w World,
        entities: UniqueEntityArray<N>,
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'w, '_>; N], QueryEntityError> {
        self.get_many(world, entities.into_inner())
    }

    /// What the query yields for several different entities. See [`Query::get_many_unique_mut`].
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive or does not match.
    pub fn get_many_unique_mut<'w, const N: usize>(
        &mut self,
        world: &'w mut World,
        entities: UniqueEntityArray<N>,
    ) -> Result<[D::Item<'w, '_>; N], QueryEntityError> {
        self.get_many_mut(world, entities.into_inner())
    }

    /// What the query yields for the only entity that it matches, to read.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.single(&world).unwrap(), &Health(3));
    /// world.spawn(Health(4));
    /// assert!(query.single(&world).is_err());
    /// ```
    #[doc(alias("GetSingletonEntity"))]
    pub fn single<'w>(
        &mut self,
        world: &'w World,
    ) -> Result<<D::ReadOnly as QueryData>::Item<'w, '_>, QuerySingleError> {
        self.query(world).single_inner()
    }

    /// What the query yields for the only entity that it matches.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let mut query = world.query::<&mut Health>();
    /// query.single_mut(&mut world).unwrap().0 += 1;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    pub fn single_mut<'w>(&mut self, world: &'w mut World) -> Result<D::Item<'w, '_>, QuerySingleError> {
        self.query_mut(world).single_inner()
    }

    /// What the query yields for each entity of a list, to read. See [`Query::iter_many`].
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

    /// What the query yields for each entity of a list. See [`Query::iter_many_mut`].
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

    /// All ways to choose `K` of the matched entities, to read. See [`Query::iter_combinations`].
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

    /// All ways to choose `K` of the matched entities. See [`Query::iter_combinations_mut`].
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

    /// Whether the query matches an entity. `O(1)`.
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

    /// Whether the query matches no entity.
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

    /// How many entities the query matches. See [`Query::count`].
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
