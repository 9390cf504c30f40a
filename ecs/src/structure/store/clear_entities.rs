//! The preparation for removing all entities at once.
//!
//! Tests: tests/changes/removed/paths.rs, tests/memory/growth.rs

use alloc::vec::Vec;

use super::{Store, Structure};
use crate::entity::{Entity, SparseMask, TableId};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::archetype::Archetypes;
use crate::structure::removal::{RemovalRecord, ValueFate};

/// Makes room for recording that all entities have lost all components. Returns the tables and sparse storages whose removals are recorded.
pub(super) fn prepare_to_tell_of_all(store: &mut Store, occupied: &[TableId]) -> WatchedRemovals {
    let mut all = WatchedRemovals { tables: Vec::new(), storages: Vec::new() };
    if !store.events.removals.is_watching() && !store.events.is_recording() {
        return all;
    }
    let Store { structure: Structure { archetypes: Archetypes { tables, .. }, entities, sparse, .. }, events, .. } =
        store;
    let watched = occupied.iter().filter_map(|&table| tables.get(table)).filter(|table| !table.interest().is_empty());
    let in_storage = |number: usize| sparse.get(number).map_or(0, SparseStorage::len);
    let room = events.removals.make_room_for_all(watched.clone(), in_storage);
    room.unwrap_or_else(|error| error.raise());
    for table in watched {
        let told = events.removals.make_room(table.watched_columns(), SparseMask::default(), 0, ValueFate::Dropped);
        all.tables.push((table.id(), told.unwrap_or_else(|error| error.raise())));
    }
    for (number, storage) in sparse.iter().enumerate() {
        if events.watches(SparseMask::default().with(number)) {
            let indexes = core::iter::successors(storage.next_index(0), |&(_, at)| storage.next_index(at));
            let entities = indexes.filter_map(|(index, _)| Some(entities.at_index(index)?.0)).collect();
            all.storages.push((number, entities));
        }
    }
    all
}

impl Structure {
    /// Returns the tables that have rows, in their order.
    pub(super) fn occupied_tables(&self) -> Vec<TableId> {
        if self.archetypes.tables.iter().len() <= self.entities.index_bound() {
            let occupied = self.archetypes.tables.iter().filter(|table| !table.is_empty());
            return occupied.map(Table::id).collect();
        }
        // Exactly one entity of each occupied table has row 0.
        let locations = self.entities.locations().filter(|location| location.row == 0);
        let mut occupied: Vec<TableId> = locations.map(|location| location.table).collect();
        occupied.sort_unstable();
        occupied
    }

    /// Returns all entities in the order of their indexes, if listing them is less work than a pass over all indexes. `occupied` are the
    /// tables that have rows. Also makes room for freeing the ids.
    pub(super) fn prepare_to_free_all(&mut self, occupied: &[TableId]) -> Option<Vec<Entity>> {
        let room = self.entities.reserve_free(self.entities.len());
        room.unwrap_or_else(|error| error.raise());
        if self.entities.len() > self.entities.index_bound() / 16 {
            return None;
        }
        let tables = occupied.iter().filter_map(|&table| self.archetypes.tables.get(table));
        let mut living: Vec<Entity> = tables.flat_map(Table::entities).copied().collect();
        living.sort_unstable_by_key(|entity| entity.index());
        Some(living)
    }

    /// Frees the ids of all entities, in the order of their indexes. `living` lists the entities, if they have been listed. Needs no
    /// memory.
    pub(super) fn free_all(&mut self, living: Option<Vec<Entity>>) {
        match living {
            Some(living) => living.iter().for_each(|&entity| self.entities.free(entity)),
            None => self.entities.free_all(),
        }
    }
}

/// The tables and sparse storages whose removals are recorded.
pub(super) struct WatchedRemovals {
    pub(super) tables: Vec<(TableId, RemovalRecord)>,
    pub(super) storages: Vec<(usize, Vec<Entity>)>,
}
