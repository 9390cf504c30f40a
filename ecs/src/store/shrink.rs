//! Giving back memory that the store does not need at the moment.
//!
//! This is the only operation that removes tables. It gives the others new numbers and begins a new *epoch*. Plans, and the
//! numbers of bundles that were put together at run time, are forgotten then; queries compare the epoch. The slots of dead
//! indexes behind the last living one go too. An index without a slot begins with a generation above every one that was
//! handed out for it; where that is no longer possible, the index is retired: it is listed (4 bytes) and passed over for
//! ever.

use super::{RemovedObservers, Store};
use crate::alloc_error::try_shrink;
use crate::entity::Location;
use crate::sparse::SparseStorage;

impl Store {
    /// Removes tables without entities, forgets what can be worked out again, and gives spare capacity back. What can be
    /// observed of entities and components stays as it is. `O(entities + tables)`.
    ///
    /// The books change first, without asking for memory; only then does anything move to a smaller place, if there is
    /// memory for that.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.flush();
        self.forget_unwatched();
        self.tidy_removals();
        // Plans name tables and bundles by their numbers, of which some are about to belong to others.
        self.archetypes.forget_what_can_be_found_again();
        self.last_pattern.clear();
        let entities = &mut self.entities;
        self.archetypes.tables.remove_empty(|table| {
            for (row, &entity) in table.entities().iter().enumerate() {
                entities.relocate(entity, Location { table: table.id(), row: row as u32 });
            }
        });
        self.archetypes.shrink_to_fit();
        self.entities.shrink_to_fit();
        self.sparse.iter_mut().for_each(SparseStorage::shrink_to_fit);
        try_shrink(&mut self.sparse);
        self.relations.shrink_to_fit();
        try_shrink(&mut self.pending);
        self.queue.shrink_to_fit();
        self.command_errors.shrink_to_fit();
        self.listeners.removals.shrink_to_fit();
        self.listeners.links.shrink_to_fit();
        let indexes = self.entities.slots().len();
        self.id_forecasts.limit_to(indexes);
        self.listeners.spawns.iter_mut().for_each(|spawns| spawns.shrink_to(indexes));
        let RemovedObservers { unwatched, observers, .. } = self.reactions.shrink_to_fit(&self.entities);
        self.refresh_observed(unwatched);
        drop(observers);
    }
}
