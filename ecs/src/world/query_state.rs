//! Queries of a world.

use core::borrow::Borrow;

use super::cast::World;
use crate::cell::Cell;
use crate::entity::Entity;
use crate::query::{
    Query, QueryCombinationIter, QueryContiguousIter, QueryData, QueryEntityError, QueryFilter, QueryIter,
    QueryManyIter, QuerySingleError, QueryState,
};

impl World {
    /// A query, to be used with this world any number of times.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably.
    #[must_use]
    pub fn query<D: QueryData>(&mut self) -> QueryState<D> {
        self.query_filtered()
    }

    /// A query with a filter, to be used with this world any number of times.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably.
    #[must_use]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&mut self) -> QueryState<D, F> {
        QueryState::new(&mut self.store)
    }

    /// A query, made from a shared world; `None` if the world has not met one of its components.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably.
    #[must_use]
    pub fn try_query<D: QueryData>(&self) -> Option<QueryState<D>> {
        QueryState::find(&self.store)
    }

    /// A query with a filter, made from a shared world; `None` if the world has not met one of its components.
    ///
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably.
    #[must_use]
    pub fn try_query_filtered<D: QueryData, F: QueryFilter>(&self) -> Option<QueryState<D, F>> {
        QueryState::find(&self.store)
    }
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// The query beside a shared world.
    #[inline]
    pub fn query<'w, 's>(&'s mut self, world: &'w World) -> Query<'w, 's, D::ReadOnly, F> {
        self.update(&world.store);
        // SAFETY: the state is up to date, and the world is borrowed for 'w; the read-only query only reads.
        unsafe { Query::new(Cell::shared(&world.store), self) }.into_readonly()
    }

    /// The query beside a world that nobody else uses.
    #[inline]
    pub fn query_mut<'w, 's>(&'s mut self, world: &'w mut World) -> Query<'w, 's, D, F> {
        world.store.flush();
        self.update(&world.store);
        // SAFETY: the state is up to date, and the world is borrowed mutably for 'w.
        unsafe { Query::new(Cell::exclusive(&mut world.store), self) }
    }

    /// The matched entities, to read. See [`Query::iter`].
    #[inline]
    pub fn iter<'w, 's>(&'s mut self, world: &'w World) -> QueryIter<'w, 's, D::ReadOnly, F> {
        self.query(world).into_iter()
    }

    /// The matched entities. See [`Query::iter_mut`].
    #[inline]
    pub fn iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryIter<'w, 's, D, F> {
        self.query_mut(world).into_iter()
    }

    /// The matched rows as slices, to read. See [`Query::contiguous_iter`].
    #[inline]
    pub fn contiguous_iter<'w, 's>(&'s mut self, world: &'w World) -> QueryContiguousIter<'w, 's, D::ReadOnly, F> {
        self.query(world).into_contiguous_iter()
    }

    /// The matched rows as slices. See [`Query::contiguous_iter_mut`].
    #[inline]
    pub fn contiguous_iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryContiguousIter<'w, 's, D, F> {
        self.query_mut(world).into_contiguous_iter()
    }

    /// What the query yields for one entity, to read. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    #[inline]
    pub fn get<'w>(
        &mut self,
        world: &'w World,
        entity: Entity,
    ) -> Result<<D::ReadOnly as QueryData>::Item<'w>, QueryEntityError> {
        self.query(world).get_inner(entity)
    }

    /// What the query yields for one entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    #[inline]
    pub fn get_mut<'w>(&mut self, world: &'w mut World, entity: Entity) -> Result<D::Item<'w>, QueryEntityError> {
        self.query_mut(world).get_inner(entity)
    }

    /// What the query yields for several entities, to read.
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive or does not match.
    pub fn get_many<'w, const N: usize>(
        &mut self,
        world: &'w World,
        entities: [Entity; N],
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'w>; N], QueryEntityError> {
        self.query(world).get_many_readonly(entities)
    }

    /// What the query yields for several different entities.
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive, does not match or occurs twice.
    pub fn get_many_mut<'w, const N: usize>(
        &mut self,
        world: &'w mut World,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w>; N], QueryEntityError> {
        self.query_mut(world).get_many_inner(entities)
    }

    /// What the query yields for the only entity that it matches, to read.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    pub fn single<'w>(&mut self, world: &'w World) -> Result<<D::ReadOnly as QueryData>::Item<'w>, QuerySingleError> {
        self.query(world).single_inner()
    }

    /// What the query yields for the only entity that it matches.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    pub fn single_mut<'w>(&mut self, world: &'w mut World) -> Result<D::Item<'w>, QuerySingleError> {
        self.query_mut(world).single_inner()
    }

    /// What the query yields for each entity of a list, to read. See [`Query::iter_many`].
    pub fn iter_many<'w, 's, I: IntoIterator<Item: Borrow<Entity>>>(
        &'s mut self,
        world: &'w World,
        entities: I,
    ) -> QueryManyIter<'w, 's, D::ReadOnly, F, I::IntoIter> {
        self.query(world).iter_many_inner(entities)
    }

    /// What the query yields for each entity of a list. See [`Query::iter_many_mut`].
    pub fn iter_many_mut<'w, 's, I: IntoIterator<Item: Borrow<Entity>>>(
        &'s mut self,
        world: &'w mut World,
        entities: I,
    ) -> QueryManyIter<'w, 's, D, F, I::IntoIter> {
        self.query_mut(world).iter_many_inner(entities)
    }

    /// All ways to choose `K` of the matched entities, to read. See [`Query::iter_combinations`].
    pub fn iter_combinations<'w, 's, const K: usize>(
        &'s mut self,
        world: &'w World,
    ) -> QueryCombinationIter<'w, 's, D::ReadOnly, F, K> {
        self.query(world).iter_combinations_inner()
    }

    /// All ways to choose `K` of the matched entities. See [`Query::iter_combinations_mut`].
    pub fn iter_combinations_mut<'w, 's, const K: usize>(
        &'s mut self,
        world: &'w mut World,
    ) -> QueryCombinationIter<'w, 's, D, F, K> {
        self.query_mut(world).iter_combinations_inner()
    }

    /// Whether the query matches an entity. `O(1)`.
    pub fn contains(&mut self, world: &World, entity: Entity) -> bool {
        self.query(world).contains(entity)
    }

    /// Whether the query matches no entity.
    pub fn is_empty(&mut self, world: &World) -> bool {
        self.query(world).is_empty()
    }

    /// How many entities the query matches. See [`Query::count`].
    pub fn count(&mut self, world: &World) -> usize {
        self.query(world).count()
    }
}
