//! Freeing memory that the store does not need at the moment.
//!
//! This is the only operation that removes tables. The remaining tables get new numbers, and a new *epoch* begins. Plans, and the numbers
//! of bundles that were assembled at run time, are removed; queries compare the epoch. The slots of dead indexes after the last live one
//! are removed too. An index without a slot starts with a generation above every generation that was handed out for it; if no such
//! generation exists, the index is retired: it is listed (4 bytes) and never used again.
//!
//! Tests: tests/storage/shrink.rs

use super::{RemovedObservers, Store};
use crate::entity::{Entity, Location};
use crate::storage::sparse::SparseStorage;
use crate::storage::tracking::Spawns;
use crate::util::alloc_error::try_shrink;

/// Removes tables without entities, removes cached data that can be recomputed, and frees spare capacity. The observable state of entities
/// and components does not change. `O(entities + tables)`.
///
/// First the bookkeeping changes, without allocating. Then memory is reallocated to a smaller size where that is possible.
pub(crate) fn shrink_to_fit(store: &mut Store) {
    store.flush();
    store.structure.forget_unwatched();
    store.events.tidy_removals(&mut store.structure.archetypes);
    // Plans contain the numbers of tables and bundles, and some of these numbers are about to change.
    store.structure.archetypes.forget_what_can_be_found_again();
    drop(core::mem::take(&mut store.commands.last_pattern));
    let entities = &mut store.structure.entities;
    store.structure.archetypes.tables.remove_empty(|table| {
        for (row, &entity) in table.entities().iter().enumerate() {
            entities.relocate(entity, Location { table: table.id(), row: row as u32 });
        }
    });
    store.structure.archetypes.shrink_to_fit();
    store.structure.entities.shrink_to_fit();
    store.structure.sparse.iter_mut().for_each(SparseStorage::shrink_to_fit);
    try_shrink(&mut store.structure.sparse);
    store.relations.shrink_to_fit();
    try_shrink(&mut store.structure.pending);
    store.commands.queue.shrink_to_fit();
    store.commands.errors.shrink_to_fit();
    store.events.removals.shrink_to_fit();
    store.events.links.shrink_to_fit();
    let indexes = store.structure.entities.slots().len();
    store.structure.id_forecasts.limit_to(indexes);
    store.events.spawns.iter_mut().for_each(|spawns| spawns.shrink_to(indexes));
    let RemovedObservers { unwatched, observers, .. } = store.events.dispatch.shrink_to_fit(&store.structure.entities);
    store.refresh_observed(unwatched);
    drop(observers);
}

/// Returns the bytes that the world has allocated for its metadata and for columns, without memory that values own.
pub(crate) fn allocated_bytes(store: &Store) -> usize {
    let Store { structure, relations, commands, events, .. } = store;
    structure.entities.allocated_bytes()
        + structure.id_forecasts.allocated_bytes()
        + structure.archetypes.allocated_bytes()
        + structure.sparse.iter().map(SparseStorage::allocated_bytes).sum::<usize>()
        + structure.sparse.capacity() * size_of::<SparseStorage>()
        + relations.allocated_bytes()
        + structure.pending.capacity() * size_of::<Entity>()
        + commands.queue.allocated_bytes()
        + events.dispatch.queued_bytes()
        + commands.errors.allocated_bytes()
        + events.removals.allocated_bytes()
        + events.spawns.as_ref().map_or(0, Spawns::allocated_bytes)
}
