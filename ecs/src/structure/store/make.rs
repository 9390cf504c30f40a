//! Bulk spawning: adds many rows to the end of one table.
//!
//! The values may come from columns, recorded commands or another world; the rows are always made here. [`Store::spawn_with`] makes single
//! rows, and `spawn_batch` writes typed values in a loop of its own.
//!
//! Tests: tests/storage/columns.rs

use super::required::{StagedValues, move_staged_past_end};
use super::{Store, Structure};
use crate::entity::{ClaimedIds, Entity, Location, SparseMask, TableId};
use crate::storage::table::Table;
use crate::structure::graph::ComponentTarget;

/// The ids of new rows. There is room for them.
pub(super) enum RowIds<'a> {
    /// The next new ids.
    New,
    /// Ids that are reserved and not placed yet.
    Pending(&'a [Entity]),
    /// Ids that the user has chosen.
    Claimed(&'a [Entity], ClaimedIds),
}

/// The source of the values of new rows.
pub(super) trait NewRows {
    /// Moves the values into the columns of a table, into the rows past the end.
    ///
    /// # Safety
    ///
    /// - The values are those for the rows of the table, as the caller of [`make_rows`] guarantees. They are moved once.
    unsafe fn write(&mut self, table: &Table);

    /// Moves the sparse values into the sparse storages. The entities exist already, in the rows of the table from `first` on.
    ///
    /// # Safety
    ///
    /// - As for [`NewRows::write`]; there is room for the values in sparse storages, which do not hold these entities yet.
    unsafe fn write_sparse(&mut self, _: &mut Store, _: TableId, _first: usize) {}
}

/// Values of several components, one of each component for each row.
pub(super) struct ErasedRows {
    pub(super) values: StagedValues,
    /// The sparse storages to which some of the values go.
    pub(super) summary: SparseMask,
}

impl NewRows for ErasedRows {
    unsafe fn write(&mut self, table: &Table) {
        // SAFETY: forwarded: the values are those for this table, which has room for the rows, and they are moved once.
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
            let (ComponentTarget::Sparse(storage) | ComponentTarget::SparseIfNew(storage)) = *target else { continue };
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
                // SAFETY: the new values of a storage are consecutive, and `start` is the address of the first; zero-sized values all have
                // the same address. The storage belongs to the column's component.
                unsafe { column.move_to(start) }
            }
        }
        rows.iter().for_each(|entity| entities.set_sparse_summary(entity.index(), self.summary));
    }
}

/// Adds rows to the end of a table and returns the location of the first one.
///
/// # Safety
///
/// - There is room for `rows` rows in the table, for the ids, and in the sparse storages that the values go to.
/// - There are `rows` values for each column of the table. All other values are values of sparse components, also `rows` for each
///   component.
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
    // SAFETY: forwarded: there is room for the rows, and `values` has a value for each of them in each column.
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
    // SAFETY: forwarded: there is room in the sparse storages. The entities are new, so no storage has a value of theirs.
    unsafe { values.write_sparse(store, table, first.row as usize) }
    store.events.record_spawned(&store.structure, now.tick, table, first.row as usize);
    first
}
