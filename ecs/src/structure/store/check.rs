//! A checker for tests: verifies that all parts of the store agree.
//!
//! Tests: tests/model/run.rs

use super::Store;
use super::pairs::check_pairs;
use super::removed::check_removals;
use crate::entity::Location;

/// Panics with a message if two parts of the store contradict each other.
pub(crate) fn check_invariants(store: &mut Store) {
    store.place_pending();
    store.flush();
    store.structure.entities.check_invariants();
    check_rows(store);
    check_columns(store);
    check_sparse(store);
    check_pairs(&store.relations, &store.structure);
    check_ticks(store);
    let turn = store.clock.change_tick().get() as usize
        + store.structure.archetypes.tables.iter().len()
        + store.structure.entities.len();
    store.structure.archetypes.check_plans(turn);
    check_removals(&store.events, &store.structure.archetypes);
}

fn check_rows(store: &Store) {
    let mut rows = 0;
    for (number, table) in store.structure.archetypes.tables.iter().enumerate() {
        assert_eq!(table.id().index(), number, "table {number} believes to have another number");
        assert_eq!(
            store.structure.archetypes.tables.find(table.components()),
            Some(table.id()),
            "table {number} is not found"
        );
        assert!(table.components().is_sorted_by(|a, b| a < b), "table {:?}: order of components", table.id());
        for (at, &id) in table.components().iter().enumerate() {
            assert_eq!(table.column_index(id), Some(at), "table {:?}: column of {id:?}", table.id());
            assert!(table.column(at).capacity() >= table.len(), "table {:?}: capacity of {id:?}", table.id());
        }
        for (row, &entity) in table.entities().iter().enumerate() {
            let expected = Location { table: table.id(), row: row as u32 };
            assert_eq!(store.structure.entities.get(entity), Some(expected), "location of entity {entity}");
        }
        rows += table.len();
    }
    assert_eq!(rows, store.structure.entities.len(), "every live entity has one row");
}

/// Checks that columns are found by component id and by the number of its type.
fn check_columns(store: &Store) {
    for table in store.structure.archetypes.tables.iter() {
        for info in store.structure.archetypes.components.iter() {
            let Some(slot) = info.slot_address() else { continue };
            let [found, expected] =
                [store.structure.archetypes.tables.column_of_slot(table.id(), slot), table.column_address(info.id())];
            assert!(found == expected, "table {:?}: column of {} by its type", table.id(), info.name());
            let likely =
                store.structure.archetypes.tables.likely_column(slot).filter(|&(likely, _)| likely == table.id());
            assert!(likely.is_none_or(|(_, column)| found == Some(column)), "the likely column of {}", info.name());
        }
    }
}

/// Checks that change ticks are consistent and exist exactly where changes are tracked.
fn check_ticks(store: &Store) {
    let now = store.clock.change_tick();
    let is_tracked = |id| store.structure.archetypes.components.info(id).is_some_and(|info| info.is_tracked());
    for table in store.structure.archetypes.tables.iter() {
        let mut any = false;
        for (at, &id) in table.components().iter().enumerate() {
            let tracking = table.column(at).tracking();
            assert_eq!(tracking.is_some(), is_tracked(id), "table {:?}: changes of {id:?}", table.id());
            any |= tracking.is_some();
            tracking.into_iter().for_each(|tracking| tracking.check_invariants(0..table.len(), now));
        }
        assert_eq!(table.is_tracked(), any, "table {:?}: whether any changes are known", table.id());
    }
    for (storage, &id) in store.structure.sparse.iter().zip(store.structure.archetypes.components.sparse()) {
        let tracking = storage.column().tracking();
        assert_eq!(tracking.is_some(), is_tracked(id), "sparse storage of {id:?}: changes");
        let rows = (0..storage.places()).filter(|&row| storage.entity_of_ticks(row).is_some());
        tracking.into_iter().for_each(|tracking| tracking.check_invariants(rows.clone(), now));
    }
}

fn check_sparse(store: &Store) {
    for (number, storage) in store.structure.sparse.iter().enumerate() {
        let mut count = 0;
        let mut at = 0;
        while let Some((index, next)) = storage.next_index(at) {
            at = next;
            count += 1;
            let alive = store.structure.entities.at_index(index);
            assert!(alive.is_some(), "sparse storage {number} holds the dead index {index}");
            assert!(storage.contains(index), "sparse storage {number}: row of index {index}");
            let summary = store.structure.entities.sparse_summary(index);
            let listed = summary.storages(store.structure.sparse.len()).any(|listed| listed == number);
            assert!(listed, "the summary of index {index} omits sparse storage {number}");
        }
        assert_eq!(count, storage.len(), "sparse storage {number}: number of values");
    }
}
