//! The items of given entities as slices.
//!
//! Tests: tests/observers/batches.rs

use super::blocks::per_row;
use super::data::{ContiguousQueryData, QueryData};
use super::fetch::ContiguousFetch as _;
use super::filter::QueryFilter;
use super::handle::Query;
use crate::entity::Entity;

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// Returns the items of the listed entities as slices, if all of them match and their rows are consecutive in one table, in the
    /// order of the list. Otherwise, and for an empty list, returns `None`; use [`iter_many`](Self::iter_many) then. Values of
    /// sparse components are contiguous only if there is one entity.
    ///
    /// The entities of a batch operation are usually in consecutive rows: see [`OnBatch`](crate::observer::OnBatch). Comparing
    /// entities and rows costs `O(entities)`, with less than a nanosecond for each. For the entities of such a batch it costs
    /// `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Mass(f32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch((0..100).map(|n| Mass(n as f32))).collect();
    /// let mut state = world.query::<&Mass>();
    /// let masses = state.query(&world);
    /// let first = masses.contiguous_many(&ids[..10]).unwrap();
    /// assert_eq!(first.iter().map(|mass| mass.0).sum::<f32>(), 45.0);
    /// assert!(masses.contiguous_many(&[ids[1], ids[0]]).is_none());
    /// ```
    #[must_use]
    pub fn contiguous_many(
        &self,
        entities: &[Entity],
    ) -> Option<<D::ReadOnly as ContiguousQueryData>::Contiguous<'_, 's>>
    where
        D::ReadOnly: ContiguousQueryData,
    {
        self.as_readonly().contiguous_many_inner(entities)
    }

    /// Like [`contiguous_many`](Self::contiguous_many), but with write access: `&mut T` yields `&mut [T]`. All values count as
    /// changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone)] struct Health(u32);
    /// # let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([Health(1), Health(2)]).collect();
    /// let mut state = world.query::<&mut Health>();
    /// let mut healths = state.query_mut(&mut world);
    /// healths.contiguous_many_mut(&ids).unwrap().iter_mut().for_each(|health| health.0 *= 5);
    /// assert_eq!(world.get::<Health>(ids[1]).unwrap().0, 10);
    /// ```
    #[must_use]
    pub fn contiguous_many_mut(&mut self, entities: &[Entity]) -> Option<D::Contiguous<'_, 's>>
    where
        D: ContiguousQueryData,
    {
        self.reborrow().contiguous_many_inner(entities)
    }

    /// Like [`contiguous_many_mut`](Self::contiguous_many_mut), but with the lifetime of the query.
    #[must_use]
    pub fn contiguous_many_inner(self, entities: &[Entity]) -> Option<D::Contiguous<'w, 's>>
    where
        D: ContiguousQueryData,
    {
        let matched = self.matched();
        let cell = matched.cell();
        let start = cell.store().structure.entities.get(*entities.first()?)?;
        let (first, end) = (start.row as usize, start.row as usize + entities.len());
        let rows = cell.store().structure.archetypes.tables.get(start.table)?.entities().get(first..end)?;
        if !core::ptr::eq(rows, entities) && rows != entities {
            return None;
        }
        let block = matched.block_of(start.table)?;
        if D::Terms::SINGLE_ROWS && entities.len() != 1 {
            return None;
        }
        // SAFETY: the rows exist in the table.
        if per_row::<D::Terms, F::Terms>() && !(first..end).all(|row| unsafe { block.contains_row(row) }) {
            return None;
        }
        // SAFETY: the rows belong to the block and match, and there is one row if slices are limited to one. The access is allowed,
        // as promised to the query, which is consumed, so no row is returned twice.
        Some(D::contiguous(unsafe { block.slice(first, entities.len()) }))
    }
}
