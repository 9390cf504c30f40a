//! Query methods for sets of entities without duplicates.
//!
//! Tests: tests/queries/lists.rs

use super::data::QueryData;
use super::error::QueryEntityError;
use super::filter::QueryFilter;
use super::handle::Query;
use super::many::QueryManyUniqueIter;
use crate::entity::{EntitySet, UniqueEntityArray};

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the items of several different entities, for reading.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::entity::UniqueEntityArray;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    /// # let mut world = World::new();
    /// let ids = UniqueEntityArray::try_new([1, 2].map(|n| world.spawn(Health(n)).id())).unwrap();
    /// let mut state = world.query::<&Health>();
    /// let query = state.query(&world);
    /// assert_eq!(query.get_many_unique(ids).unwrap(), [&Health(1), &Health(2)]);
    /// ```
    pub fn get_many_unique<const N: usize>(
        &self,
        entities: UniqueEntityArray<N>,
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'_, 's>; N], QueryEntityError> {
        self.get_many(entities.into_inner())
    }

    /// Returns the items of several different entities.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::entity::UniqueEntityArray;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    /// # let mut world = World::new();
    /// let ids = UniqueEntityArray::try_new([1, 2].map(|n| world.spawn(Health(n)).id())).unwrap();
    /// let mut state = world.query::<&mut Health>();
    /// let mut query = state.query_mut(&mut world);
    /// let [mut a, b] = query.get_many_unique_mut(ids).unwrap();
    /// a.0 += b.0;
    /// assert_eq!(world.get(ids[0]), Some(&Health(3)));
    /// ```
    pub fn get_many_unique_mut<const N: usize>(
        &mut self,
        entities: UniqueEntityArray<N>,
    ) -> Result<[D::Item<'_, 's>; N], QueryEntityError> {
        self.get_many_mut(entities.into_inner())
    }

    /// Iterates over a set of entities. Yields the item of each entity, for reading, or an error if the entity does not match.
    /// `matched` skips entities that do not match.
    ///
    /// ```
    /// use strata_ecs::entity::EntityHashSet;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let set: EntityHashSet = world.spawn_batch([Health(1), Health(2)]).collect();
    /// let mut state = world.query::<&Health>();
    /// assert_eq!(state.query(&world).iter_many_unique(&set).matched().map(|health| health.0).sum::<u32>(), 3);
    /// ```
    pub fn iter_many_unique<E: EntitySet>(
        &self,
        entities: E,
    ) -> QueryManyUniqueIter<'_, 's, D::ReadOnly, F, E::IntoIter> {
        self.as_readonly().iter_many_unique_inner(entities)
    }

    /// Iterates over a set of entities. Yields the item of each entity, or an error if the entity does not match.
    ///
    /// Unlike the result of [`iter_many_mut`](Self::iter_many_mut), this is an ordinary iterator.
    ///
    /// ```
    /// use strata_ecs::entity::EntityHashSet;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let set: EntityHashSet = world.spawn_batch([Health(1), Health(2)]).collect();
    /// let mut state = world.query::<&mut Health>();
    /// let mut query = state.query_mut(&mut world);
    /// for mut health in query.iter_many_unique_mut(&set).matched() {
    ///     health.0 *= 2;
    /// }
    /// assert_eq!(query.iter().map(|health| health.0).sum::<u32>(), 6);
    /// ```
    pub fn iter_many_unique_mut<E: EntitySet>(
        &mut self,
        entities: E,
    ) -> QueryManyUniqueIter<'_, 's, D, F, E::IntoIter> {
        self.reborrow().iter_many_unique_inner(entities)
    }

    /// Like [`iter_many_unique_mut`](Self::iter_many_unique_mut), but with the lifetime of the query.
    pub fn iter_many_unique_inner<E: EntitySet>(self, entities: E) -> QueryManyUniqueIter<'w, 's, D, F, E::IntoIter> {
        self.iter_many_inner(entities).into_unique()
    }
}
