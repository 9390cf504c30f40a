//! Making rows: many entities at once, one behind the other in one table.
//!
//! Whatever the values come from (columns, recorded commands, another world), the rows are made here. [`Store::spawn_with`] makes one
//! row, and `spawn_batch` writes typed values in a loop of its own.

use super::required::{StagedValues, move_staged_past_end};
use super::{Store, Structure};
use crate::entity::{Claimed, Entity, Location, SparseSummary, TableId};
use crate::graph::Target;
use crate::table::Table;

/// The ids of rows that are made. There is room for them.
pub(super) enum RowIds<'a> {
    /// The next ones.
    New,
    /// Reserved before and not placed yet.
    Pending(&'a [Entity]),
    /// Those that a user has asked for.
    Claimed(&'a [Entity], Claimed),
}

/// Where the values of rows come from that are made.
pub(super) trait NewRows {
    /// Moves the values into the columns of a table, into rows behind the last one.
    ///
    /// # Safety
    ///
    /// - The caller of [`make_rows`] has promised that these are the values for the table. They are moved once.
    unsafe fn write(&mut self, table: &Table);

    /// Moves the sparse values, once the entities are there: from row `first` on.
    ///
    /// # Safety
    ///
    /// - As for [`NewRows::write`]; there is room for the values in sparse storages, and the entities have none.
    unsafe fn write_sparse(&mut self, _: &mut Store, _: TableId, _first: usize) {}
}

/// Values of several components, as many of each as there are rows.
pub(super) struct ErasedRows {
    pub(super) values: StagedValues,
    /// Which of them go to sparse storages.
    pub(super) summary: SparseSummary,
}

impl NewRows for ErasedRows {
    unsafe fn write(&mut self, table: &Table) {
        // SAFETY: the caller's promise.
        unsafe { move_staged_past_end(&mut self.values, table) }
    }

    unsafe fn write_sparse(&mut self, store: &mut Store, table: TableId, first: usize) {
        if self.summary.is_empty() {
            return;
        }
        let now = store.now();
        let Store { structure: Structure { archetypes, entities, sparse, .. }, .. } = store;
        let rows = archetypes.tables.get(table).map_or(&[][..], |table| &table.entities()[first..]);
        for (target, column) in &mut self.values {
            let (Target::Sparse(storage) | Target::SparseIfNew(storage)) = *target else { continue };
            let storage = &mut sparse[storage as usize];
            debug_assert_eq!(column.len(), rows.len());
            let mut start = None;
            for &entity in rows {
                // SAFETY: the entity has no value here, and room has been reserved. The values are written below, and
                // nothing else happens to the storage until then.
                let address = unsafe { storage.insert(entity, now) };
                start = start.or(Some(address));
            }
            if let Some(start) = start {
                // SAFETY: new values of a storage lie one behind the other, and the first belongs here; those without a size
                // all lie at one address. The storage is that of the column's component.
                unsafe { column.move_to(start) }
            }
        }
        rows.iter().for_each(|entity| entities.set_sparse_summary(entity.index(), self.summary));
    }
}

/// Makes rows behind the last one of a table, and says where they begin.
///
/// # Safety
///
/// - There is room for so many rows in the table, for the ids, and in the sparse storages that the values go to.
/// - The values are as many as the rows, of each column of the table, and of other components that are sparse.
pub(super) unsafe fn make_rows(
    store: &mut Store,
    table: TableId,
    rows: usize,
    ids: RowIds<'_>,
    values: &mut impl NewRows,
) -> Location {
    let now = store.now();
    let Store { structure: Structure { archetypes, entities, .. }, .. } = &mut *store;
    let of = archetypes.tables.get_mut(table);
    let first = Location { table, row: of.len() as u32 };
    // SAFETY: the caller's promise: each column gets a value in each of the rows, for which there is room.
    unsafe {
        values.write(of);
        of.commit_rows(rows, now, |list| match ids {
            RowIds::New => entities.allocate_rows(rows, first, list),
            RowIds::Pending(ids) | RowIds::Claimed(ids, _) => list.extend_from_slice(ids),
        });
    }
    match ids {
        RowIds::New => {}
        RowIds::Pending(ids) => entities.place_all(ids, table, first.row),
        RowIds::Claimed(ids, claimed) => entities.place_claimed(ids, claimed, first),
    }
    // SAFETY: as above; the entities are new.
    unsafe { values.write_sparse(store, table, first.row as usize) }
    store.events.record_spawned(&store.structure, now.tick, table, first.row as usize);
    first
}
