//! Selects the entities that match a filter, to change all of them.
//!
//! Tests: tests/storage/selections, tests/systems/params/lookups.rs

use alloc::vec::Vec;

use super::blocks::per_row;
use super::cache::QueryState;
use super::data::ReadOnlyQueryData;
use super::filter::QueryFilter;
use super::handle::Query;
use crate::entity::Entity;
use crate::structure::cell::StoreCell;
use crate::structure::store::{Selection, Store};

/// Returns the entities that match a filter, by table. Tables without rows are left out.
#[track_caller]
pub(crate) fn select<F: QueryFilter>(store: &mut Store) -> Vec<Selection> {
    store.flush();
    let mut state = QueryState::<Entity, F>::in_store(store);
    state.update(store);
    if per_row::<<Entity as super::QueryData>::Terms, F::Terms>() {
        // SAFETY: the state is up to date, and the store is borrowed; ids are only read.
        let query = unsafe { Query::new(StoreCell::shared(store), &state) };
        let mut entities = Vec::new();
        query.into_iter().for_each_left(|some| entities.extend_from_slice(some));
        return store.select(&entities);
    }
    let tables = state.cache.matches.iter().map(|found| found.table);
    let filled =
        tables.filter(|&table| store.structure.archetypes.tables.get(table).is_some_and(|table| !table.is_empty()));
    store.in_order(filled.map(|table| (table, None)))
}

/// Reads components of entities while the entities are being changed.
pub(crate) struct SelectionReader<D: ReadOnlyQueryData>(QueryState<D>);

impl<D: ReadOnlyQueryData> SelectionReader<D> {
    #[track_caller]
    pub(crate) fn new(store: &mut Store) -> Self {
        let () = QueryState::<D>::FITS_ONE_ENTITY;
        let mut state = QueryState::in_store(store);
        state.update(store);
        Self(state)
    }

    /// Returns whether an entity of the store matches the data.
    pub(crate) fn contains(&self, store: &Store, entity: Entity) -> bool {
        self.get(store, entity).is_some()
    }

    /// Returns the item of an entity. The table of the entity must have existed when this reader was made.
    pub(crate) fn get<'w>(&self, store: &'w Store, entity: Entity) -> Option<D::Item<'w, '_>> {
        // SAFETY: the store is borrowed for 'w, and the query is read-only. The state has the entity's table.
        unsafe { Query::new(StoreCell::shared(store), &self.0) }.get_inner(entity).ok()
    }
}
