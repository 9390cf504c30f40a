//! Moving entities from one store to another.
//!
//! Tests: tests/storage/transfer.rs

use alloc::vec::Vec;

use super::despawn::PreparedDespawn;
use super::lifecycle_events::LifecycleEvents;
use super::make::{NewRows, RowIds, make_rows};
use super::selection::Selection;
use super::{Store, Structure};
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::{Entity, EntityHashMap, SparseMask, TableId};
use crate::relations::relation::Relations;
use crate::storage::table::{ColumnMove, Table};
use crate::structure::removal::ValueFate;
use crate::util::guard::DeferredPanic;

/// The data for moving the entities of one table, made before anything moves.
struct PreparedTransfer {
    from: TableId,
    ending: PreparedDespawn,
    to: TableId,
    pairs: Vec<ColumnMove>,
    /// The sparse values of the entities: the entity, the number of the storage, and the number of the storage in the other store.
    outside: Vec<(Entity, usize, usize)>,
}

/// The ids of the moved entities in the other store.
pub(super) enum MovedIds {
    /// The next new ids.
    Next,
    /// These ids, in the order in which the entities move. The entities with the ids in `kept` keep their ids; the other ids are the next
    /// new ids after the kept ids have been claimed.
    Chosen { all: Vec<Entity>, kept: Vec<Entity> },
}

/// Rows that come from another store.
struct MovedRows<'a> {
    from: &'a mut Store,
    prepared: &'a mut PreparedTransfer,
    /// The old and new ids of all entities that have moved, and room for more.
    ids: &'a mut Vec<(Entity, Entity)>,
    /// Reusable memory with the capacity of `ids`.
    sorted: &'a mut Vec<(Entity, Entity)>,
}

impl NewRows for MovedRows<'_> {
    unsafe fn write(&mut self, table: &Table) {
        let source = self.from.structure.archetypes.tables.get_mut(self.prepared.from);
        // SAFETY: the pairs name columns of the same component in both tables; there is room for the rows, whose values the source forgets
        // when the entities are in their new table.
        unsafe { source.copy_rows_to(self.prepared.ending.first(), table, &self.prepared.pairs) };
    }

    unsafe fn write_sparse(&mut self, to: &mut Store, table: TableId, start: usize) {
        let Self { from, prepared: PreparedTransfer { from: source, ending, outside, .. }, ids, sorted } = self;
        let source = from.structure.archetypes.tables.get_mut(*source);
        let new = to.structure.archetypes.tables.get(table).map_or(&[][..], |table| &table.entities()[start..]);
        let (first, moved) = (ending.first(), ids.len());
        let old = &source.entities()[first..];
        ids.extend(old.iter().copied().zip(new.iter().copied()));
        from.structure.entities.free_these(old);
        source.truncate(first);
        sorted.clear();
        sorted.extend_from_slice(&ids[moved..]);
        sorted.sort_unstable();
        // SAFETY: the rows have just been taken off, and their values have been moved out.
        unsafe { from.end_prepared(ending, ValueFate::Taken) }
        move_sparse(from, to, outside, sorted);
    }
}

/// Moves the entities of some selections to another store, and returns their old and new ids. Each selection is of a different table.
/// Everything that may fail happens before anything moves, so that each entity is in exactly one of the stores. No user code runs in
/// between.
pub(crate) fn move_selections_to(store: &mut Store, selections: &[Selection], to: &mut Store) -> Vec<(Entity, Entity)> {
    let collect = |store: &mut Store, events: &mut LifecycleEvents| {
        selections.iter().for_each(|selection| store.collect_end_of(events, selection));
    };
    store.events.links.is_moving = true;
    let mut ids = Vec::new();
    // A listener of this store may panic. The panic is caught, because entities may have been moved already.
    let panicked = DeferredPanic::catch(|| {
        ids = store.notify_and_batch(collect, |store| {
            store.events.links.is_moving = false;
            move_notified_to(store, selections, to, MovedIds::Next, |_| {})
        });
    });
    to.flush_events();
    panicked.go_on();
    ids
}

/// Moves entities as [`move_selections_to`](move_selections_to) does, after listeners have been notified of the removals. When the entities
/// have their new ids, `then` does further work with the ids of the other store; `then` neither fails nor runs user code.
pub(super) fn move_notified_to(
    store: &mut Store,
    selections: &[Selection],
    to: &mut Store,
    new: MovedIds,
    then: impl FnOnce(&mut Store),
) -> Vec<(Entity, Entity)> {
    let count = selections.iter().map(|selection| selection.len(store)).sum();
    let (mut ids, mut sorted) = (Vec::with_capacity(count), Vec::with_capacity(count));
    to.flush();
    to.structure.entities.reserve_next_many(count).unwrap_or_else(|error| super::SpawnError::from(error).raise());
    store.structure.entities.reserve_free(count).unwrap_or_else(|error| error.raise());
    let prepare = |selection| prepare_move(store, selection, to, count);
    let mut prepared: Vec<PreparedTransfer> = selections.iter().map(prepare).collect();
    match &new {
        MovedIds::Next => make_room_for_sparse(to, &prepared, to.structure.entities.next_indexes(count).collect()),
        MovedIds::Chosen { all, .. } => make_room_for_sparse(to, &prepared, all.iter().map(|id| id.index()).collect()),
    }
    let mut chosen = match new {
        MovedIds::Next => None,
        MovedIds::Chosen { all, kept } => {
            to.structure.entities.keep(&kept).unwrap_or_else(|error| error.raise());
            Some((pending(to, all, &kept), 0))
        }
    };
    // From here on nothing allocates.
    for prepared in &mut prepared {
        let (table, count) = (prepared.to, prepared.ending.count());
        let mut values = MovedRows { from: store, prepared, ids: &mut ids, sorted: &mut sorted };
        let rows = match &mut chosen {
            None => RowIds::New,
            Some((all, done)) => {
                *done += count;
                RowIds::Pending(&all[*done - count..*done])
            }
        };
        // SAFETY: room has been made. Every column of the table has a pair, which gives it its values.
        unsafe { make_rows(to, table, count, rows, &mut values) };
    }
    then(to);
    to.change_links(|to| {
        // This comes first: a listener of `store` may panic before `to` delivers its events.
        if let Some(vtable) = to.events.dispatch.vtable.filter(|_| to.structure.archetypes.components.has_relations()) {
            (vtable.moved)(to, &ids);
        }
        store.change_links(|store| move_pairs(&mut store.relations, to, &ids));
    });
    to.events.mark_pending_stale(&to.structure.archetypes.tables);
    ids
}

/// Moves the pairs whose entities have both moved to another store. `ids` are the old and new ids of the moved entities. The other pairs of
/// moved entities are removed when the operation ends.
fn move_pairs(relations: &mut Relations<Store>, to: &mut Store, ids: &[(Entity, Entity)]) {
    if relations.places.iter().all(|place| place.pairs.index().len() == 0) {
        return;
    }
    let new = EntityHashMap::from_iter(ids.iter().copied());
    let now = to.now();
    for place in &mut relations.places {
        let index = place.pairs.index();
        let of_entity = |&(source, new_source): &(Entity, Entity)| {
            let new = &new;
            let pairs = index.list(0, source).iter().filter(|link| link.is_pair());
            pairs.filter_map(move |link| Some([source, link.other, new_source, *new.get(&link.other)?]))
        };
        let rows: Vec<[Entity; 4]> = ids.iter().flat_map(of_entity).collect();
        let number = (place.functions.register)(to);
        let there = &mut to.relations.places[number];
        place.pairs.move_to(&mut *there.pairs, &rows, now);
        // Entities that have moved without any of their pairs still have the component, which is checked later.
        for (&component, &storage) in there.components.iter().zip(&there.storages) {
            let has_come = ids.iter().filter(|(_, new)| to.structure.sparse[storage].contains(new.index()));
            has_come.for_each(|&(_, new)| to.events.links.unpair(component, new, false));
        }
        to.events.has_pending = true;
    }
}

/// Makes those ids pending that are not in `kept`: they are the next new ids, for which there is room. Returns all ids.
fn pending(store: &mut Store, all: Vec<Entity>, kept: &[Entity]) -> Vec<Entity> {
    for _ in kept.len()..all.len() {
        store.structure.entities.allocate().unwrap_or_else(|error| super::SpawnError::from(error).raise());
    }
    debug_assert!(all.iter().all(|id| store.structure.entities.is_pending(*id)), "the ids are those that were chosen");
    all
}

/// Prepares the move of the entities of a selection: moves their rows to the end of their table, and makes all room except in sparse
/// storages. `count` is the number of entities of all selections that are moved.
fn prepare_move(store: &mut Store, selection: &Selection, to: &mut Store, count: usize) -> PreparedTransfer {
    let (table, pairs) = table_in(store, to, selection.table);
    let room = to.structure.archetypes.tables.get_mut(table).reserve(selection.len(store));
    room.unwrap_or_else(|error| error.raise());
    let outside = sparse_values_of(store, selection, to);
    let listed = store.list_watched(selection, None);
    let first = store.structure.gather(selection);
    let ending = store.prepare_end(selection.table, first, listed, count, ValueFate::Taken);
    PreparedTransfer { from: selection.table, ending, to: table, pairs, outside }
}

/// Returns the table of another store for the components of a table of this one, and the pairs of corresponding columns.
fn table_in(store: &Store, to: &mut Store, table: TableId) -> (TableId, Vec<ColumnMove>) {
    let source = store.structure.archetypes.tables.get(table).map_or(&[][..], Table::components);
    let infos = || source.iter().filter_map(|&id| store.structure.archetypes.components.info(id));
    let adopted: Vec<ComponentId> =
        infos().map(|info| to.structure.archetypes.components.adopt(info.descriptor())).collect();
    // Adopted components may require sparse components, whose storages are created here.
    to.note_new_components();
    let mut sorted = adopted.clone();
    sorted.sort_unstable();
    let table = to.structure.archetypes.tables.find_or_create(&sorted, &to.structure.archetypes.components);
    let target = to.structure.archetypes.tables.get(table);
    let pair = |((from, &id), info): ((usize, &ComponentId), &ComponentInfo)| {
        let to = target?.column_index(id)?;
        Some(ColumnMove::kept(from as u32, to as u32, info.layout().size()))
    };
    let pairs = adopted.iter().enumerate().zip(infos()).filter_map(pair).collect();
    (table, pairs)
}

/// Returns the sparse values of the entities of a selection: the entity, the storage, and the storage in the other store.
fn sparse_values_of(store: &Store, selection: &Selection, to: &mut Store) -> Vec<(Entity, usize, usize)> {
    let mut values = Vec::new();
    if !store.structure.entities.has_summaries() {
        return values;
    }
    let numbers: Vec<Option<usize>> =
        store.structure.archetypes.components.sparse().iter().map(|&id| adopt_sparse(to, store, id)).collect();
    for entity in selection.entities(store) {
        values.extend(store.structure.storages_of(entity).filter_map(|from| Some((entity, from, numbers[from]?))));
    }
    values
}

/// Makes room for the sparse values of entities that are about to be added with these indexes.
fn make_room_for_sparse(store: &mut Store, prepared: &[PreparedTransfer], indexes: Vec<u32>) {
    if prepared.iter().all(|prepared| prepared.outside.is_empty()) {
        return;
    }
    let Store { structure: Structure { sparse, entities, .. }, .. } = store;
    let mut counts = alloc::vec![0; sparse.len()];
    let values = prepared.iter().flat_map(|prepared| &prepared.outside);
    values.for_each(|&(_, _, to)| counts[to] += 1);
    let mut room = indexes.iter().max().map_or(Ok(()), |highest| entities.reserve_summary(*highest));
    for (storage, values) in sparse.iter_mut().zip(counts).filter(|&(_, values)| values != 0) {
        room = room.and_then(|()| storage.reserve_many(values, indexes.iter().copied()));
    }
    room.unwrap_or_else(|error| error.raise());
}

/// Returns the number of the sparse storage for a component of another store. Registers the component if necessary.
fn adopt_sparse(store: &mut Store, from: &Store, id: ComponentId) -> Option<usize> {
    let id = store.structure.archetypes.components.adopt(from.structure.archetypes.components.info(id)?.descriptor());
    store.note_new_components();
    Some(store.structure.archetypes.components.info(id)?.sparse_index())
}

/// Moves the sparse values of entities that have moved to another store. `new_ids` has the old and the new id of each entity, in the order
/// of the old ids.
fn move_sparse(store: &mut Store, to: &mut Store, values: &[(Entity, usize, usize)], new_ids: &[(Entity, Entity)]) {
    let now = to.now();
    for &(old, from, number) in values {
        let Ok(at) = new_ids.binary_search_by_key(&old, |&(old, _)| old) else { continue };
        let new = new_ids[at].1;
        let Some(value) = store.structure.sparse[from].retire(old) else { continue };
        let components = &store.structure.archetypes.components;
        let size = components.sparse().get(from).and_then(|&id| components.info(id));
        let size = size.map_or(0, |info| info.layout().size());
        // SAFETY: both storages have the same component. The value is past the end of its storage, which forgets it; the entity is new, so
        // it has no value in the other storage, where room has been made.
        unsafe { to.structure.sparse[number].insert(new, now).copy_from_nonoverlapping(value, size) };
        store.structure.sparse[from].forget_retired();
        let summary: SparseMask = to.structure.entities.sparse_summary(new.index()).with(number);
        to.structure.entities.set_sparse_summary(new.index(), summary);
    }
}
