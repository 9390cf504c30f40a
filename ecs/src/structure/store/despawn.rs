//! Despawning entities.
//!
//! The order is: notify hooks and observers; make room; remove the rows, so that the entities are gone; record removals; drop the values.
//! If nothing can fail any more, removals are recorded before the row is removed.
//!
//! | | entities | notifies | records removals | drops |
//! |---|---|---|---|---|
//! | `end_at_once` | one | no | if it only copies values | no |
//! | `despawn_in_phases`, `despawn_notified` | one | if there are listeners | yes | yes |
//! | [`Store::despawn_unobserved`] | a list, in runs of one table | the caller has checked that there are no listeners | yes | yes |
//! | [`Store::despawn_all`] | a selection of one table | if there are listeners | yes | yes |
//! | [`Store::despawn_these`] | a list, as one operation | if there are listeners | yes | yes |
//!
//! `end_row` despawns one entity whose listeners, if any, have been notified; `end_rows` records the removals of despawned entities and
//! drops their values.
//!
//! Tests: tests/hazards/rows.rs, tests/hazards/destructors.rs

use alloc::vec::Vec;
use core::convert::Infallible;
use core::slice;

use super::clear_entities::prepare_to_tell_of_all;
use super::events::LeftRows;
use super::lifecycle_events::{AffectedEntities, LifecycleEvents};
use super::selection::Selection;
use super::{Store, Structure};
use crate::component::transition::ListenerMask;
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::{Entities, Entity, EntityError, Location, SparseMask, TableId};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::archetype::Archetypes;
use crate::structure::removal::{RemovalRecord, ValueFate};
use crate::util::guard::{DeferredPanic, for_each_despite_panics};

impl Store {
    /// Despawns an entity and drops its components. `O(components of the entity)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    #[inline(always)]
    pub(crate) fn despawn(&mut self, entity: Entity) -> Result<(), EntityError> {
        if end_at_once(self, entity) { Ok(()) } else { despawn_in_phases(self, entity) }
    }

    /// If an entity is alive, and its despawn notifies no observer or hook and removes no pairs: returns the sparse storages in which the
    /// entity may be.
    #[inline]
    pub(crate) fn unobserved_storages(&self, entity: Entity) -> Option<SparseMask> {
        self.unobserved_storages_in(entity, &mut None)
    }

    /// As [`unobserved_storages`](Self::unobserved_storages), for a sequence of entities. `quiet` caches the last table whose despawns no
    /// observer or hook watches, so that the table is not checked again for the next entity.
    #[inline]
    pub(crate) fn unobserved_storages_in(&self, entity: Entity, quiet: &mut Option<TableId>) -> Option<SparseMask> {
        let location = self.structure.entities.get(entity)?;
        let summary = self.structure.entities.sparse_summary(entity.index());
        if *quiet != Some(location.table) {
            if self.structure.archetypes.tables.get(location.table)?.interest().intersects(ListenerMask::OBSERVERS) {
                return None;
            }
            *quiet = Some(location.table);
        }
        (!self.events.observed.ends.meets(summary)).then_some(summary)
    }

    /// Returns how many entities at the start of a list are in the table `quiet` and list no sources; 0 without a table. No observer or
    /// hook watches despawns in the table. So despawning these entities despawns no others and notifies no listener.
    #[inline]
    pub(crate) fn count_leaves(&self, entities: &[Entity], quiet: Option<TableId>) -> usize {
        let Some(table) = quiet else { return 0 };
        let storages = self.events.observed.ends.union(self.events.observed.lists);
        self.structure.entities.count_apart(entities, table, storages)
    }

    /// Despawns entities whose despawn notifies no observer or hook, in the order of the list. If a destructor panics, the other entities
    /// are still despawned, and the panic is returned.
    #[must_use]
    pub(crate) fn despawn_unobserved(&mut self, entities: &[Entity]) -> DeferredPanic {
        self.structure.entities.reserve_free(entities.len()).unwrap_or_else(|error| error.raise());
        let (mut rest, mut panicked) = (entities.iter(), DeferredPanic::default());
        while !rest.as_slice().is_empty() {
            panicked = panicked.or(DeferredPanic::catch(|| end_run_unobserved(self, &mut rest)));
        }
        panicked
    }

    /// Despawns an entity whose despawn notifies no observer or hook, if none of its values has to be dropped. Otherwise changes nothing
    /// and returns false.
    #[inline]
    pub(crate) fn despawn_if_trivial(&mut self, entity: Entity) -> bool {
        let Some(location) = self.structure.entities.get(entity) else { return false };
        let summary = self.structure.entities.sparse_summary(entity.index());
        let mut storages = summary.storages(self.structure.sparse.len());
        if self.structure.archetypes.tables.get_mut(location.table).needs_drop()
            || storages.any(|number| self.structure.sparse[number].column().drop_fn().is_some())
        {
            return false;
        }
        self.structure.entities.reserve_free(1).unwrap_or_else(|error| error.raise());
        // SAFETY: the entity is at this location, and there is room for its index among the free ones.
        unsafe { end_row(self, entity, location, summary) }
        true
    }

    /// Despawns the entities of a selection and returns their number. Their indexes become free in the order of `order`, which lists the
    /// same entities; without `order`, in the order of their rows.
    pub(crate) fn despawn_all(&mut self, selection: &Selection, order: Option<&[Entity]>) -> usize {
        let mut panicked = notify_before_end(self, selection, order);
        let prepared = panicked.go_on_if_fails(|| {
            let listed = self.list_watched(selection, order);
            let first = self.structure.gather(selection);
            Ok::<_, Infallible>((first, self.prepare_end(selection.table, first, listed, 0, ValueFate::Dropped)))
        });
        let Ok((first, mut ending)) = prepared;
        let Self { structure: Structure { archetypes: Archetypes { tables, .. }, entities, .. }, .. } = self;
        let table = tables.get_mut(selection.table);
        let gone = &table.entities()[first..];
        debug_assert!(order.is_none_or(|order| order.len() == gone.len()));
        entities.free_these(order.unwrap_or(gone));
        table.truncate(first);
        let count = ending.gone.count;
        let dropped = self.dropping(|store| {
            // SAFETY: the rows have just been taken off the table, and their values are still there.
            unsafe { store.end_prepared(&mut ending, ValueFate::Dropped) }
        });
        self.finish_operation(panicked.or(dropped));
        count
    }

    /// Despawns several live entities as one operation, in this order.
    pub(crate) fn despawn_these(&mut self, entities: &[Entity]) {
        let collect = |store: &mut Self, events: &mut LifecycleEvents| {
            for &entity in entities {
                if let Some(location) = store.structure.entities.get(entity) {
                    events.add_end(store, AffectedEntities::Listed(&[entity]), location.table);
                }
            }
        };
        self.notify_and_batch(collect, |store| {
            let mut rest = entities;
            while let Some(&first) = rest.first() {
                let table = |entity| store.structure.entities.get(entity).map(|location| location.table);
                let here = table(first);
                let count = rest.iter().take_while(|&&entity| table(entity) == here).count();
                let (of_table, others) = rest.split_at(count);
                despawn_in(store, here, of_table);
                rest = others;
            }
        });
    }

    /// Adds the events of the despawn of selected entities to `events`.
    pub(crate) fn collect_end_of(&mut self, events: &mut LifecycleEvents, selection: &Selection) {
        if observes_end_of(self, selection.table) {
            self.with_affected(selection, None, |store, affected| events.add_end(store, affected, selection.table));
        }
    }

    /// If listeners may record removals of the entities of a selection: returns the entities, in the order in which their removals are
    /// recorded.
    pub(super) fn list_watched(&self, selection: &Selection, order: Option<&[Entity]>) -> Option<Vec<Entity>> {
        let in_table =
            self.structure.archetypes.tables.get(selection.table).is_some_and(|table| !table.interest().is_empty());
        let in_sparse = self.events.removals.watches_sparse() && self.structure.entities.has_summaries();
        (in_table || in_sparse).then(|| order.map_or_else(|| selection.entities(self), <[Entity]>::to_vec))
    }

    /// Reserves the memory for despawning the entities of a table in the rows from `first` on. If removals are recorded, `listed` holds
    /// these entities. If one operation despawns entities of several tables, `in_all` is the number of entities in all of them.
    pub(super) fn prepare_end(
        &mut self,
        table: TableId,
        first: usize,
        listed: Option<Vec<Entity>>,
        in_all: usize,
        fate: ValueFate,
    ) -> PreparedDespawn {
        let Self { structure: Structure { archetypes: Archetypes { tables, .. }, entities, .. }, events, .. } = self;
        let of = tables.get_mut(table);
        let going = &of.entities()[first..];
        entities.reserve_free(in_all.max(going.len())).unwrap_or_else(|error| error.raise());
        let mut outside: Vec<(Entity, SparseMask)> = Vec::new();
        if entities.has_summaries() && (fate == ValueFate::Dropped || listed.is_some()) {
            let told = listed.as_deref().unwrap_or(going);
            let summaries = told.iter().map(|&entity| (entity, entities.sparse_summary(entity.index())));
            outside.extend(summaries.filter(|(_, summary)| !summary.is_empty()));
        }
        let gone = RemovedRows { table, first, count: going.len() };
        let (mut rows, mut told) = (Vec::new(), None);
        if let Some(listed) = &listed {
            rows = entities.rows_of(listed);
            let storages = outside.iter().fold(SparseMask::default(), |all, &(_, summary)| all.union(summary));
            let room = events.removals.make_room(of.watched_columns(), storages, in_all.max(listed.len()), fate);
            told = Some(room.unwrap_or_else(|error| error.raise()));
        }
        PreparedDespawn { gone, listed: listed.unwrap_or_default(), rows, outside, told }
    }

    /// Records the removals of entities whose rows have been removed, and drops their values unless they are taken.
    ///
    /// # Safety
    ///
    /// - The rows have just been taken off the table; their values are still there, unless they are taken.
    pub(super) unsafe fn end_prepared(&mut self, ending: &mut PreparedDespawn, fate: ValueFate) {
        let PreparedDespawn { gone, listed, rows, outside, told } = ending;
        let row = |number: usize| rows[number] as usize - gone.first;
        // SAFETY: forwarded: the rows have just been taken off; `row` returns the rows of the listed entities.
        unsafe { end_rows(self, *gone, listed, row, outside, told.take(), fate) }
    }

    /// Despawns all entities. All of them are gone before the first component is dropped. `O(entities)`, plus one step for each table or
    /// each index, whichever are fewer.
    pub(crate) fn clear_entities(&mut self) {
        self.flush();
        let occupied = self.structure.occupied_tables();
        let all = |&table: &TableId| Selection { table, rows: None, before: 0 };
        let collect = |store: &mut Self, events: &mut LifecycleEvents| {
            occupied.iter().map(all).for_each(|selection| store.collect_end_of(events, &selection));
        };
        self.notify_and_batch(collect, end_all);
    }
}

/// Tries to despawn an entity at once. This succeeds if it only requires overwriting the row of the entity, and perhaps adding one entry to
/// a removal log. Otherwise changes nothing and returns false. As in [`Store::spawn`], no function is called in between.
#[inline(always)]
fn end_at_once(store: &mut Store, entity: Entity) -> bool {
    let Store { structure: Structure { archetypes, entities, .. }, events, .. } = store;
    let Some(ending) = entities.begin_end(entity) else { return false };
    let Location { table, row } = ending.location();
    let Some(table) = archetypes.tables.find_mut(table) else { return false };
    if !table.can_overwrite_rows() || !events.try_record_end(table, entity) {
        return false;
    }
    // SAFETY: the row of a live entity is a row of its table, which keeps no ticks and whose values need no drop.
    unsafe {
        ending.end(table.last_entity());
        table.overwrite_row(row as usize);
    }
    true
}

/// Despawns an entity as [`Store::despawn`] does, in the general case.
#[inline(never)]
fn despawn_in_phases(store: &mut Store, entity: Entity) -> Result<(), EntityError> {
    store.flush();
    let Some(location) = store.structure.entities.get(entity) else {
        return Err(store.structure.entities.why_not(entity));
    };
    let summary = store.structure.entities.sparse_summary(entity.index());
    let is_noted = !summary.is_empty()
        || !store.structure.archetypes.tables.get_mut(location.table).interest().has_no_end_listener();
    if is_noted && store.events.observe_end(&store.structure.archetypes.tables, location.table, summary) {
        return despawn_notified(store, entity);
    }
    store.structure.entities.reserve_free(1).unwrap_or_else(|error| error.raise());
    // SAFETY: the entity is at this location, and there is room for its index among the free ones.
    unsafe { end_row(store, entity, location, summary) }
    Ok(())
}

/// Despawns an entity as [`Store::despawn`] does, if this notifies observers or hooks.
///
/// # Errors
///
/// If the entity is not alive. `despawn_in_phases` has checked that, and hooks and observers cannot change it.
#[cold]
#[inline(never)]
fn despawn_notified(store: &mut Store, entity: Entity) -> Result<(), EntityError> {
    let Store { events, .. } = &*store;
    let is_sole = events.scope_depth == 0 && !events.has_pending && !events.dispatch.is_running();
    if let Some(vtable) = events.dispatch.vtable.filter(|_| is_sole)
        && (vtable.end)(store, entity)
    {
        return Ok(());
    }
    let location = store.structure.entities.locate(entity)?;
    let mut panicked = store.notify_before(|events, store| {
        events.add_end(store, AffectedEntities::Listed(&[entity]), location.table);
    });
    panicked.go_on_if_fails(|| store.structure.entities.reserve_free(1)).unwrap_or_else(|error| error.raise());
    let summary = store.structure.entities.sparse_summary(entity.index());
    let mut dropped = store.dropping(|store| {
        // SAFETY: the entity is at this location, and there is room for its index among the free ones. Nothing has changed since its
        // summary was read.
        unsafe { end_row(store, entity, location, summary) }
    });
    if dropped.is_some() && store.structure.entities.contains(entity) {
        // There was no memory for the events. The panic also aborts an operation that this is part of.
        dropped.go_on();
        return Ok(());
    }
    store.finish_operation(panicked.or(dropped));
    Ok(())
}

/// Despawns the entities of `rest`, one after the other. Consecutive entities that are in the same table and the same sparse storages, and
/// have no values to be dropped, form a run. They are removed from each storage together; those of them that are in consecutive rows are
/// also removed from the table together.
fn end_run_unobserved(store: &mut Store, rest: &mut slice::Iter<'_, Entity>) {
    let mut kind = None;
    let mut run = rest.as_slice();
    let mut count = 0;
    while let Some(&entity) = rest.next() {
        let location = store.structure.entities.get(entity);
        let found = location.map(|location| (location.table, store.structure.entities.sparse_summary(entity.index())));
        if found != kind || found.is_none() {
            store.structure.leave_storages(kind, &run[..count]);
            (run, count) = (&run[run.len() - rest.len() - 1..], 0);
            kind = found.filter(|&(table, summary)| can_end_as_run(store, table, summary));
        }
        let (Some(location), Some((_, summary))) = (location, found) else { continue };
        let Some((table, _)) = kind else {
            // SAFETY: the entity is at this location, and there is room for its index among the free ones.
            unsafe { end_row(store, entity, location, summary) }
            continue;
        };
        let Store { structure: Structure { archetypes, entities, .. }, .. } = &mut *store;
        let (table, row) = (archetypes.tables.get_mut(table), location.row as usize);
        let behind = table.entities()[row + 1..].iter().zip(rest.as_slice());
        let in_row = behind.take_while(|(here, there)| here == there).count();
        let more = entities.count_alike(&rest.as_slice()[..in_row], summary);
        let ending = &run[count..][..1 + more];
        *rest = rest.as_slice()[more..].iter();
        count += 1 + more;
        // SAFETY: the rows of live entities are rows of their table, which keeps no ticks and whose values need no drop.
        let moved = unsafe { table.overwrite_rows(row..row + 1 + more) };
        entities.free_these(ending);
        (location.row..).zip(moved).for_each(|(row, &entity)| entities.set_row(entity, row));
    }
    store.structure.leave_storages(kind, &run[..count]);
}

/// Returns whether entities of a table that are in these sparse storages can be despawned as a run: nothing has to be recorded or dropped.
fn can_end_as_run(store: &Store, table: TableId, summary: SparseMask) -> bool {
    let Store { structure: Structure { archetypes, sparse, .. }, events, .. } = store;
    let Some(table) = archetypes.tables.get(table) else { return false };
    let is_told = events.is_recording() || events.removals.watches(summary) || !table.interest().has_no_end_listener();
    let drops = |number: usize| sparse[number].column().drop_fn().is_some();
    !is_told && table.can_overwrite_rows() && !summary.storages(sparse.len()).any(drops)
}

/// Despawns an entity whose listeners, if any, have been notified.
///
/// # Safety
///
/// - The live entity is at this location and may be in these sparse storages. There is room for its index among the free ones.
#[inline(always)]
unsafe fn end_row(store: &mut Store, entity: Entity, location: Location, summary: SparseMask) {
    let table = store.structure.archetypes.tables.get_mut(location.table);
    if !summary.is_empty() || table.interest().intersects(ListenerMask::REMOVALS.union(ListenerMask::RECORDER)) {
        // SAFETY: forwarded.
        return unsafe { end_row_in_phases(store, entity, location, summary) };
    }
    // SAFETY: forwarded: the entity is in this row. The values of the row are dropped below, when it is gone.
    unsafe {
        retire_row(table, &mut store.structure.entities, entity, location.row);
        table.drop_retired_row();
    }
}

/// Removes a live entity from its table and frees its index. Afterwards the values of the row are past the end of the table.
///
/// # Safety
///
/// - The entity is in this row. There is room for its index among the free ones.
#[inline(always)]
unsafe fn retire_row(table: &mut Table, entities: &mut Entities, entity: Entity, row: u32) {
    // SAFETY: forwarded.
    let moved = unsafe { table.retire_row(row as usize) };
    // The row is set before the index is freed: the moved entity may be the removed one, and a free slot stores the next free index instead
    // of a row.
    entities.set_row(moved, row);
    entities.free(entity);
}

/// Despawns an entity as [`end_row`] does, if the entity may be in sparse storages or its despawn is recorded.
///
/// # Safety
///
/// - As for [`end_row`].
#[inline(never)]
unsafe fn end_row_in_phases(store: &mut Store, entity: Entity, location: Location, summary: SparseMask) {
    let row = location.row as usize;
    let Store { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = store;
    let table = archetypes.tables.get_mut(location.table);
    let outside = &[(entity, summary)][usize::from(summary.is_empty())..];
    // SAFETY: the row of a live entity is a row of its table.
    if !events.records_end(table, summary) || summary.is_empty() && unsafe { events.record_end(table, row) } {
        // SAFETY: forwarded: the entity is in this row. The values of the row are dropped below, when it is gone.
        unsafe {
            retire_row(table, entities, entity, location.row);
            let _outside = SparseValues { sparse, values: outside };
            return table.drop_retired_row();
        }
    }
    let room = events.removals.make_room(table.watched_columns(), summary, 1, ValueFate::Dropped);
    let told = room.unwrap_or_else(|error| error.raise());
    // From here on nothing allocates.
    // SAFETY: the row of a live entity is a row of its table.
    let moved = unsafe { table.retire_row_to_tell(row, told.kept()) };
    entities.set_row(moved, location.row);
    entities.free(entity);
    let gone = RemovedRows { table: location.table, first: table.len(), count: 1 };
    // SAFETY: the row has just been retired, and its values are past the end.
    unsafe { end_rows(store, gone, &[entity], |_| 0, outside, Some(told), ValueFate::Dropped) }
}

/// Records the removals of entities whose rows have been removed, if a record is given, and drops their values. `row` returns the index of
/// the row of each entity among the removed rows. `outside` lists the entities that may be in sparse storages.
///
/// # Safety
///
/// - The rows have just been taken off the table, and their values are still there, unless they are taken. If removals are recorded,
///   `entities` are the entities of these rows.
#[inline(never)]
unsafe fn end_rows(
    store: &mut Store,
    gone: RemovedRows,
    entities: &[Entity],
    row: impl Fn(usize) -> usize,
    outside: &[(Entity, SparseMask)],
    mut told: Option<RemovalRecord>,
    fate: ValueFate,
) {
    let Store {
        structure: Structure { archetypes: Archetypes { tables, components, .. }, sparse, .. }, events, ..
    } = store;
    let table = tables.get_mut(gone.table);
    if let Some(told) = &mut told {
        let left = LeftRows { table, entities, row: |number| gone.first + row(number), fate };
        // SAFETY: forwarded: the values are still in these rows; kept values are not dropped below.
        unsafe { events.ended(&left, outside, (&mut *sparse, components), told) }
    }
    if fate == ValueFate::Taken {
        return;
    }
    let _finish = told.as_ref().map(|told| events.finish(told));
    let _outside = SparseValues { sparse, values: outside };
    let kept = told.as_ref().map_or(&[][..], RemovalRecord::kept);
    // SAFETY: the values are there, and nothing else owns them except the kept ones, which are left out; they are dropped once.
    unsafe { table.drop_rows_except(kept, None, gone.first, gone.count) }
}

/// Despawns entities that are all in this table. If there are at least `TOGETHER` of them, they are despawned as one selection.
fn despawn_in(store: &mut Store, table: Option<TableId>, entities: &[Entity]) {
    /// The minimum number of entities that are despawned as one selection.
    const TOGETHER: usize = 4;
    store.flush();
    let selection =
        table.filter(|_| entities.len() >= TOGETHER).and_then(|table| store.structure.select_in(table, entities));
    match selection {
        Some(selection) => _ = store.despawn_all(&selection, Some(entities)),
        None => entities.iter().for_each(|&entity| _ = store.despawn(entity)),
    }
}

/// Notifies observers and hooks of the despawn of selected entities; in the order of `order`, if it is given.
#[must_use]
fn notify_before_end(store: &mut Store, selection: &Selection, order: Option<&[Entity]>) -> DeferredPanic {
    if !observes_end_of(store, selection.table) {
        return DeferredPanic::default();
    }
    store.with_affected(selection, order, |store, affected| {
        store.notify_before(|events, store| events.add_end(store, affected, selection.table))
    })
}

/// Returns whether observers or hooks may be notified of the despawn of entities of a table.
fn observes_end_of(store: &Store, table: TableId) -> bool {
    let Store { structure: Structure { archetypes, entities, .. }, events, .. } = store;
    let in_table =
        || archetypes.tables.get(table).is_some_and(|table| table.interest().intersects(ListenerMask::OBSERVERS));
    events.is_observing && (in_table() || events.observes_storages() && entities.has_summaries())
}

/// Despawns all entities. The listeners of the entities have been notified.
pub(super) fn end_all(store: &mut Store) {
    let occupied = store.structure.occupied_tables();
    let mut watched = prepare_to_tell_of_all(store, &occupied);
    let living = store.structure.prepare_to_free_all(&occupied);
    // From here on nothing allocates.
    store.structure.free_all(living);
    let Store {
        structure: Structure { archetypes: Archetypes { tables, components, .. }, sparse, .. }, events, ..
    } = store;
    let mut told = RemovalRecord::default();
    for (table, of_table) in &mut watched.tables {
        let table = tables.get_mut(*table);
        let left = LeftRows { table, entities: table.entities(), row: |row| row, fate: ValueFate::Dropped };
        // SAFETY: the entities are in the order of their rows, which are removed below; kept values are not dropped.
        unsafe { events.ended(&left, &[], (&mut *sparse, components), of_table) }
        told.join(of_table);
    }
    for (number, entities) in &watched.storages {
        let id = components.sparse()[*number];
        events.storage_lost(&mut sparse[*number], *number, entities, id, &mut told);
    }
    let _finish = events.finish(&told);
    let of_tables = occupied.iter().map(|&table| (Some(table), None));
    let of_storages = sparse.iter_mut().map(|storage| (None, Some(storage)));
    // All ids are free by now. Each table and each sparse storage is cleared even if a destructor panics.
    for_each_despite_panics(of_tables.chain(of_storages), |(table, storage)| {
        if let Some(table) = table {
            let kept = watched.tables.iter().find(|(watched, _)| *watched == table);
            tables.get_mut(table).clear_except(kept.map_or(&[][..], |(_, told)| told.kept()));
        }
        if let Some(storage) = storage {
            storage.clear();
        }
    });
}

impl Structure {
    /// Removes entities that have just been despawned from the sparse storages that `kind` contains. Their values need no drop.
    fn leave_storages(&mut self, kind: Option<(TableId, SparseMask)>, entities: &[Entity]) {
        let Some((_, summary)) = kind.filter(|_| !entities.is_empty()) else { return };
        for number in summary.storages(self.sparse.len()) {
            self.sparse[number].remove_these(entities);
        }
    }

    /// Returns the sparse storages that may hold components with this id.
    pub(crate) fn storage_of(&self, id: ComponentId) -> SparseMask {
        let number = self.archetypes.components.info(id).map(ComponentInfo::sparse_index);
        number.map_or(SparseMask::ALL, |number| SparseMask::default().with(number))
    }
}

/// Rows that have been taken off the end of a table; their values are still there.
#[derive(Clone, Copy)]
struct RemovedRows {
    table: TableId,
    first: usize,
    count: usize,
}

/// Entities of one table that are about to be despawned or moved to another world.
pub(super) struct PreparedDespawn {
    gone: RemovedRows,
    /// The entities, if their removals are recorded. `rows` are the rows of these entities.
    listed: Vec<Entity>,
    rows: Vec<u32>,
    /// The entities that may be in sparse storages.
    outside: Vec<(Entity, SparseMask)>,
    told: Option<RemovalRecord>,
}

/// The values of despawned entities in sparse storages. They are dropped with this guard, even if something panics.
struct SparseValues<'a> {
    sparse: &'a mut [SparseStorage],
    /// The entities and the sparse storages that they may be in.
    values: &'a [(Entity, SparseMask)],
}

impl Drop for SparseValues<'_> {
    fn drop(&mut self) {
        let Self { sparse, values } = self;
        let count = sparse.len();
        let mut have_destructors = SparseMask::default();
        for &(entity, summary) in *values {
            for storage in summary.storages(count) {
                match sparse[storage].column().drop_fn() {
                    None => sparse[storage].remove(entity),
                    Some(_) => have_destructors = have_destructors.with(storage),
                }
            }
        }
        if !have_destructors.is_empty() {
            for_each_despite_panics(values.iter(), |&(entity, summary)| {
                let storages = summary.common(have_destructors).storages(count);
                for_each_despite_panics(storages, |storage| sparse[storage].discard(entity));
            });
        }
    }
}

impl PreparedDespawn {
    /// Returns the first of the rows.
    pub(super) fn first(&self) -> usize {
        self.gone.first
    }

    /// Returns the number of entities.
    pub(super) fn count(&self) -> usize {
        self.gone.count
    }
}
