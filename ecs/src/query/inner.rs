//! Query methods that consume the query, named as in bevy_ecs.
//!
//! Tests: tests/queries/lists.rs

use super::data::{ContiguousQueryData, QueryData};
use super::error::QueryEntityError;
use super::filter::QueryFilter;
use super::handle::Query;
use super::iter::{QueryContiguousIter, QueryIter};
use crate::entity::{Entity, UniqueEntityArray};

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Iterates over the matched entities, with the lifetime of the query. Equivalent to `into_iter`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn healths<'w>(query: Query<'w, '_, &mut Health>) -> Vec<Mut<'w, Health>> {
    ///     query.iter_inner().collect()
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// assert_eq!(healths(world.query().query_mut(&mut world)).len(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn iter_inner(self) -> QueryIter<'w, 's, D, F> {
        self.into_iter()
    }

    /// Iterates over the matched rows as slices, with the lifetime of the query; see [`Query::contiguous_iter`].
    #[inline]
    #[must_use]
    pub fn contiguous_iter_inner(self) -> QueryContiguousIter<'w, 's, D, F>
    where
        D: ContiguousQueryData,
    {
        self.into_contiguous_iter()
    }

    /// Equivalent to [`get_many_inner`](Self::get_many_inner).
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive, does not match or occurs twice.
    pub fn get_many_mut_inner<const N: usize>(
        self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w, 's>; N], QueryEntityError> {
        self.get_many_inner(entities)
    }

    /// Returns the items of several different entities, with the lifetime of the query.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive or does not match.
    pub fn get_many_unique_inner<const N: usize>(
        self,
        entities: UniqueEntityArray<N>,
    ) -> Result<[D::Item<'w, 's>; N], QueryEntityError> {
        self.get_many_inner(entities.into_inner())
    }
}
