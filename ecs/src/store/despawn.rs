//! Removing entities.

use super::Store;
use crate::entity::{Entity, EntityError, SparseSummary, TableId};
use crate::guard::for_each_despite_panics;
use crate::removal::Fate;

impl Store {
    /// Removes an entity and drops its components. `O(what the entity has)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    #[inline]
    pub(crate) fn despawn(&mut self, entity: Entity) -> Result<(), EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        let summary = self.entities.sparse_summary(entity.index());
        let table = self.tables.get_mut(location.table);
        if table.is_watched() {
            // SAFETY: the row is the entity's, which goes now.
            unsafe { return self.despawn_watched(entity, location) }
        }
        // SAFETY: the row of a live entity is a row of its table.
        let moved = unsafe { table.retire_row(location.row as usize) };
        self.entities.free(entity);
        if let Some(moved) = moved {
            self.entities.set_row(moved, location.row);
        }
        if summary.is_empty() {
            // SAFETY: a row has just been retired.
            unsafe { table.drop_behind() }
        } else {
            self.drop_with_sparse(entity, summary, location.table);
        }
        Ok(())
    }

    /// Drops the retired row of a table, and all sparse components of an entity that is gone.
    #[inline(never)]
    pub(super) fn drop_with_sparse(&mut self, entity: Entity, summary: SparseSummary, table: TableId) {
        let count = self.sparse.len();
        self.record_sparse_of(entity, summary, Fate::Dropped);
        for storage in summary.storages(count) {
            self.sparse[storage].retire(entity);
        }
        let (table, sparse) = (self.tables.get_mut(table), &mut self.sparse);
        let finish = self.removals.finish();
        for_each_despite_panics([None].into_iter().chain(summary.storages(count).map(Some)), |step| match step {
            // SAFETY: a row has just been retired, and this step comes once.
            None => unsafe { table.drop_rows_except(finish.kept(), None, table.len(), 1) },
            Some(storage) => sparse[storage].drop_retired(),
        });
    }

    /// Removes all entities. They are gone before the first component is dropped.
    pub(crate) fn clear_entities(&mut self) {
        self.flush();
        if self.removals.is_watching() {
            return self.clear_watched();
        }
        self.entities.free_all();
        let tables = self.tables.iter_mut().map(|table| (Some(table), None));
        let sparse = self.sparse.iter_mut().map(|storage| (None, Some(storage)));
        for_each_despite_panics(tables.chain(sparse), |(table, storage)| {
            if let Some(table) = table {
                table.clear();
            }
            if let Some(storage) = storage {
                storage.clear();
            }
        });
    }
}
