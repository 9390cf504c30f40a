//! Methods of [`QueryState`] that split the matched rows into slices for several threads.
//!
//! Tests: tests/queries/parallel_lists.rs

use super::cast::World;
use crate::query::{ContiguousQueryData, QueryContiguousParIter, QueryData, QueryFilter, QueryState};

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Iterates over slices of the matched rows, for reading on several threads. See
    /// [`Query::contiguous_par_iter`](crate::query::Query::contiguous_par_iter).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..1000).map(Health));
    /// let mut query = world.query::<&Health>();
    /// query.contiguous_par_iter(&world).for_each(|healths| assert!(healths.iter().all(|health| health.0 < 1000)));
    /// ```
    pub fn contiguous_par_iter<'w, 's>(&'s mut self, world: &'w World) -> QueryContiguousParIter<'w, 's, D::ReadOnly, F>
    where
        D::ReadOnly: ContiguousQueryData,
    {
        self.query(world).contiguous_par_iter_inner()
    }

    /// Iterates over slices of the matched rows, on several threads. See
    /// [`Query::contiguous_par_iter_mut`](crate::query::Query::contiguous_par_iter_mut).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let last = world.spawn_batch((0..1000).map(Health)).last().unwrap();
    /// let mut query = world.query::<&mut Health>();
    /// query.contiguous_par_iter_mut(&mut world).for_each(|healths| healths.iter_mut().for_each(|health| health.0 *= 2));
    /// assert_eq!(world.get::<Health>(last).unwrap().0, 1998);
    /// ```
    pub fn contiguous_par_iter_mut<'w, 's>(&'s mut self, world: &'w mut World) -> QueryContiguousParIter<'w, 's, D, F>
    where
        D: ContiguousQueryData,
    {
        self.query_mut(world).contiguous_par_iter_inner()
    }
}
