//! Changing many entities at once, table by table.
//!
//! The rows of a table that change are brought behind the others first. From there they move as blocks, one for each
//! column; and if they are all rows and the destination has none, the tables exchange the memory of their columns.
//!
//! When tables exchange the memory of their columns, entities keep their rows, so only the table in their slots changes.
//! Values that a user's function makes are written behind the last row of the destination before anything moves; if the
//! function panics they are dropped and nothing has happened.

use alloc::vec::Vec;
use core::ptr::{self, NonNull};

use super::addition::{inserting, removing};
use super::change::{remove_all_from_storage, renew_sparse_changes};
use super::dynamic::change_with;
use super::events::LeftRows;
use super::lifecycle_events::{Affected, LifecycleEvents};
use super::located::Located;
use super::make::{NewRows, RowIds, make_rows};
use super::required::{StagedValues, move_staged_past_end, stage_required};
use super::selection::Selection;
use super::{Store, Structure};
use crate::archetype::Planned;
use crate::bundle::{Bundle, BundleParts, LeafAt, Targets, give, with_parts};
use crate::column::{NewValues, copy_item};
use crate::component::{Components, StorageType};
use crate::entity::{Entity, Location, ReserveError, SparseSummary, TableId};
use crate::graph::{Change, ChangeStep, MovePlan, PlanFlags, PlanId, Target};
use crate::guard::{DeferredPanic, OnDrop, for_each_despite_panics};
use crate::removal::{Fate, RemovalRecord};
use crate::table::{ColumnMove, Table};
use crate::transition::Interest;

/// Recorded parts for several entities.
pub(super) struct Batch<'a> {
    pub(super) entities: &'a [Entity],
    /// The leaves of one entity's parts.
    pub(super) leaves: &'a [LeafAt],
    /// Where the parts of the first entity are.
    pub(super) start: NonNull<u8>,
    /// The bytes from one entity's parts to the next one's.
    pub(super) stride: usize,
}

impl Batch<'_> {
    /// Moves the values of all leaves into the columns that their targets name, those of each entity into the row that
    /// `row` says.
    ///
    /// # Safety
    ///
    /// - The leaves are full, where the batch says, and those that the targets are for, in order. The targets are columns
    ///   of the table or nothing. The rows are within its capacity, and the columns hold no values in them.
    unsafe fn write(&self, table: &Table, targets: &[Target], row: impl Fn(usize) -> usize) {
        let count = self.entities.len();
        // So many that their parts stay in the nearest cache from one column to the next.
        for first in (0..count).step_by(64) {
            let numbers = first..count.min(first + 64);
            for (&leaf, target) in self.leaves.iter().zip(targets) {
                let Target::Column { index, .. } = *target else { continue };
                let column = table.column(index as usize).data();
                let copy = |size: usize| {
                    for number in numbers.clone() {
                        // SAFETY: the caller's promise; the size is that of the leaf.
                        unsafe {
                            let value = self.start.add(number * self.stride + leaf.value);
                            copy_item(value.as_ptr(), column.add(row(number) * size).as_ptr(), size);
                        }
                    }
                };
                // With a size that the compiler knows a value is copied by one or two instructions.
                match leaf.size {
                    4 => copy(4),
                    8 => copy(8),
                    12 => copy(12),
                    16 => copy(16),
                    size => copy(size),
                }
                if leaf.needs_drop {
                    for number in numbers.clone() {
                        // SAFETY: the caller's promise.
                        unsafe { self.start.add(number * self.stride + leaf.full).cast::<bool>().write(false) }
                    }
                }
            }
        }
    }
}

/// Recorded parts for entities that are made, and what these require.
struct RecordedRows<'a> {
    batch: &'a Batch<'a>,
    targets: &'a [Target],
    required: StagedValues,
}

impl NewRows for RecordedRows<'_> {
    unsafe fn write(&mut self, table: &Table) {
        let first = table.len();
        // SAFETY: the caller's promise.
        unsafe {
            self.batch.write(table, self.targets, |number| first + number);
            move_staged_past_end(&mut self.required, table);
        }
    }
}

/// Makes what a plan requires, for so many entities.
fn make_required(plan: &MovePlan, components: &Components, count: usize) -> StagedValues {
    stage_required(plan, components, count, |_| true).unwrap_or_else(|error| error.raise())
}

/// Rows of a table that are about to move, from `first` on, and where they go.
struct Block {
    from: TableId,
    first: usize,
    count: usize,
    route: Route,
    /// Where they begin in the destination.
    start: usize,
}

/// What happens to rows that move.
struct Route {
    to: TableId,
    /// The columns that the entities keep with their values.
    pairs: Vec<ColumnMove>,
    /// The columns whose old values new ones replace.
    replaced: Vec<ColumnMove>,
    /// The columns of the source whose values go.
    left: Vec<u32>,
    /// The columns of the destination that get new values.
    written: Vec<u32>,
}

impl Route {
    fn of(plan: &MovePlan) -> Self {
        let column = |target: &Target| match *target {
            Target::Column { index, .. } => Some(index),
            _ => None,
        };
        let written: Vec<u32> = plan.targets.iter().filter_map(column).collect();
        let (mut replaced, pairs): (Vec<ColumnMove>, _) = plan.kept().partition(|pair| written.contains(&pair.to));
        let left = plan.left().chain(replaced.iter().map(|pair| pair.from)).collect();
        let renewed = |pair: &ColumnMove| plan.renewed.iter().any(|target| column(target) == Some(pair.to));
        replaced.retain(|pair| !renewed(pair));
        Self { to: plan.table, pairs, replaced, left, written }
    }
}

impl Store {
    /// Adds a bundle to the entities of a selection. `make` is called once for each, in the order of their rows before, with
    /// the number of the entity among all selected. Says how many there were. What the bundle requires is made before.
    ///
    /// If `make` panics, entities whose table needs no change keep what they have got so far, and the others stay as
    /// they were.
    pub(crate) fn insert_into<B: Bundle>(
        &mut self,
        selection: &Selection,
        make: impl FnMut(&Self, Entity, usize) -> B,
    ) -> usize {
        let change = self.insertion_of::<B>();
        if let Some(number) = self.structure.only_storage::<B>().filter(|&number| !self.events.observes_storage(number))
        {
            return insert_into_storage(self, number, selection, make);
        }
        let panicked = notify_before_change_of(self, selection, None, change);
        let count = insert_notified(self, selection, change, make);
        self.finish_operation(panicked);
        count
    }

    /// Notes what selected entities are about to lose if they gain a bundle.
    pub(crate) fn collect_insertion<B: Bundle>(&mut self, events: &mut LifecycleEvents, selection: &Selection) {
        let change = self.insertion_of::<B>();
        collect_change_of(self, events, selection, change);
    }

    /// Notes what selected entities are about to lose if they lose a bundle.
    pub(crate) fn collect_removal<B: Bundle>(&mut self, events: &mut LifecycleEvents, selection: &Selection) {
        let change = removing::<B>(self).change();
        collect_change_of(self, events, selection, change);
    }

    /// Adds values of several components to entities, those of each in the order of the entities, if that can be done at once: then
    /// none are left. The entities have to be different ones in one table, and the components new to it and stored in tables.
    pub(crate) fn insert_columns(
        &mut self,
        entities: &[Entity],
        mut columns: Vec<NewValues>,
    ) -> Result<(), Vec<NewValues>> {
        self.flush();
        let are_fit = columns.iter().enumerate().all(|(at, column)| {
            let descriptor = column.descriptor();
            let is_first = columns[..at].iter().all(|earlier| !earlier.descriptor().is_same(descriptor));
            column.len() == entities.len() && descriptor.storage() == Some(StorageType::Table) && is_first
        });
        let Some(Location { table, .. }) = entities.first().and_then(|first| self.structure.entities.get(*first))
        else {
            return Err(columns);
        };
        let mut rows = Vec::with_capacity(entities.len());
        if !are_fit || self.structure.entities.leading_rows(entities, table, &mut rows) != entities.len() {
            return Err(columns);
        }
        let Some(selection) = self.structure.select_in(table, entities) else { return Err(columns) };
        let change = change_with(self, &mut columns, NewValues::descriptor, ChangeStep::Insert);
        let id = self.structure.archetypes.plan(table, change);
        let plan = self.structure.archetypes.at(id).plan;
        if plan.table == table || !plan.is_plain() {
            return Err(columns);
        }
        let panicked = notify_before_change_of(self, &selection, Some(entities), change);
        let write = |store: &mut Self, block: &Block| {
            let rows = store.structure.entities.rows_of(entities);
            let places: Vec<usize> = rows.iter().map(|row| *row as usize - block.first).collect();
            let are_in_order = places.iter().enumerate().all(|(nth, place)| nth == *place);
            let Planned { plan, tables, .. } = store.structure.archetypes.at(id);
            let table = tables.get_mut(block.route.to);
            for (values, target) in columns.iter_mut().zip(&plan.targets) {
                let Target::Column { index, .. } = *target else { continue };
                let (size, from) = (values.descriptor().layout().size(), values.data());
                let column = table.column(index as usize);
                values.forget();
                // SAFETY: there is room for the rows of the block behind the last one of the table that the plan leads to, where its
                // columns hold no values. The plan is plain, so that each of the columns is written once. The values are of the column's
                // component, as they stand in the order of the bundle that the change adds; there is one for each entity, and they are
                // not used any more. Each entity has a row of its own in the block.
                unsafe {
                    let to = column.get(block.start);
                    if are_in_order {
                        ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), size * places.len());
                    } else {
                        for (nth, place) in places.iter().enumerate() {
                            copy_item(from.add(nth * size).as_ptr(), to.add(place * size).as_ptr(), size);
                        }
                    }
                }
            }
        };
        // SAFETY: the plan is plain, and there are values of all components of the only bundle of the change.
        unsafe { move_rows(self, id, &selection, Some(entities), write) }
        self.finish_operation(panicked);
        Ok(())
    }

    /// Carries out a change of the entities of a batch, which live in this table, if that can be done at once.
    ///
    /// # Safety
    ///
    /// - The batch holds full parts for each entity, of the bundles that the change adds, in order.
    pub(super) unsafe fn change_together(&mut self, change: Change, table: TableId, batch: &Batch<'_>) -> bool {
        let id = self.structure.archetypes.plan(table, change);
        let plan = self.structure.archetypes.at(id).plan;
        if plan.table == table || !plan.is_plain() {
            return false;
        }
        let Some(selection) = self.structure.select_in(table, batch.entities) else { return false };
        let write = |store: &mut Self, block: &Block| {
            let rows = store.structure.entities.rows_of(batch.entities);
            let row = |number: usize| block.start + rows[number] as usize - block.first;
            let Planned { plan, tables, .. } = store.structure.archetypes.at(id);
            // SAFETY: there is room for the rows of the block behind the last one of the table that the plan leads to; the plan
            // is plain.
            unsafe { batch.write(tables.get_mut(block.route.to), &plan.targets, row) }
        };
        // SAFETY: the plan is plain, and the batch has all bundles of the change.
        unsafe { move_rows(self, id, &selection, Some(batch.entities), write) }
        true
    }

    /// Gives entities that are pending, or new ones, their first components, if that can be done at once.
    ///
    /// # Safety
    ///
    /// - The batch holds full parts for each entity, of the bundles that the change adds, in order.
    pub(super) unsafe fn spawn_together(&mut self, change: Change, batch: &Batch<'_>, new: bool) -> bool {
        let Planned { plan, tables, components } = self.structure.archetypes.planned(TableId::EMPTY, change);
        if !plan.is_plain() || !(new || self.structure.entities.claim_pending(batch.entities)) {
            return false;
        }
        let count = batch.entities.len();
        match self.structure.entities.reserve_next_many(if new { count } else { 0 }) {
            Ok(()) => {}
            // One by one those are used up that are left.
            Err(ReserveError::IdsExhausted) => return false,
            Err(ReserveError::OutOfMemory(error)) => error.raise(),
        }
        let table = tables.get_mut(plan.table);
        table.reserve(count).unwrap_or_else(|error| error.raise());
        let required = make_required(plan, components, count);
        let (table, targets) = (plan.table, plan.targets.clone());
        let ids = if new { RowIds::New } else { RowIds::Pending(batch.entities) };
        // SAFETY: there is room for so many rows. The plan is plain, and the batch has all bundles of the change.
        unsafe { make_rows(self, table, count, ids, &mut RecordedRows { batch, targets: &targets, required }) };
        true
    }

    /// Removes the components of a bundle from the entities of a selection, as far as they have them, and drops them. Says
    /// how many entities there were.
    pub(crate) fn remove_from<B: Bundle>(&mut self, selection: &Selection) -> usize {
        let loss = removing::<B>(self);
        let count = selection.len(self);
        let unwatched = |number: &usize| !self.events.watches_storage(*number);
        if let Some(number) = self.structure.only_storage::<B>().filter(unwatched) {
            let Self { structure: Structure { archetypes, entities: index, sparse, .. }, .. } = self;
            remove_all_from_storage(index, sparse, number, &selection.entities_in(&archetypes.tables));
            return count;
        }
        let panicked = notify_before_change_of(self, selection, None, loss.change());
        let id = self.structure.archetypes.plan(selection.table, loss.change());
        let plan = self.structure.archetypes.at(id).plan;
        if !plan.is_plain() {
            let entities = selection.entities(self);
            self.batched_after_notice(|store| {
                for_each_despite_panics(entities.iter(), |&entity| {
                    if let Some(located) = Located::find(store, entity) {
                        located.lose(loss);
                    }
                });
            });
        } else if plan.table != selection.table && count != 0 {
            // SAFETY: the plan is plain, and adds nothing.
            unsafe { move_rows(self, id, selection, None, |_, _| {}) }
        }
        self.finish_operation(panicked);
        count
    }
}

/// Moves all entities of a selection to where they belong after a change, and drops what they leave behind. `write` writes
/// the new values of the block of rows behind the last row of the destination. `order` are the selected entities in the
/// order in which it is told what they lose, if that is not the one of their rows.
///
/// If `write` panics, or there is no memory, nothing has happened, except that rows may have another order.
///
/// # Safety
///
/// - The plan is one for the table of the selection and leads to another one; it is plain. `write` writes all
///   components of each bundle that the change adds, to each row, or panics and leaves no values.
unsafe fn move_rows(
    store: &mut Store,
    id: PlanId,
    selection: &Selection,
    order: Option<&[Entity]>,
    write: impl FnOnce(&mut Store, &Block),
) {
    let count = selection.len(store);
    let Planned { plan, components, .. } = store.structure.archetypes.at(id);
    let (from, route) = (selection.table, Route::of(plan));
    let mut aside = make_required(plan, components, count);
    let (mut listed, mut told) = (Vec::new(), RemovalRecord::default());
    let interest = plan.listeners.interest;
    if !interest.is_empty() {
        let (lost, storages) = (plan.lost.iter().copied(), SparseSummary::default());
        let room = store.events.removals.make_room(lost, storages, count, Fate::Dropped);
        told = room.unwrap_or_else(|error| error.raise());
    }
    // Observers and hooks can look at the rows of the destination, if these are in the order in which they are told.
    let in_order = order.is_none() && selection.rows.is_none();
    if interest.intersects(Interest::REMOVALS.union(Interest::RECORDER)) || !interest.is_empty() && !in_order {
        listed = order.map_or_else(|| selection.entities(store), <[Entity]>::to_vec);
    }
    let first = store.structure.gather(selection);
    // Gathering has changed the rows of some.
    let rows = store.structure.entities.rows_of(&listed);
    let (start, exchange) = store.structure.make_room(from, &route, first, count);
    let block = Block { from, first, count, route, start };
    write(store, &block);
    // SAFETY: the plan leads from this table to another one. There is room, and `write` has written the new values.
    unsafe { move_block(store, id, &block, exchange, &mut aside) }
    let (Block { route, .. }, Store { structure, events, .. }) = (block, &mut *store);
    let Planned { plan, tables, .. } = structure.archetypes.at(id);
    // SAFETY: both are tables of this store, and they differ.
    let (source, to) = unsafe { tables.get_two_mut(from, route.to) };
    if !interest.is_empty() {
        let row = |number: usize| rows[number] as usize;
        let left = LeftRows { table: source, entities: &listed, row, fate: Fate::Dropped };
        let moved = Affected::Rows { table: route.to, first: start, count };
        let now = if in_order { moved } else { Affected::Listed(&listed) };
        // SAFETY: the rows are gone, and their values in these columns have stayed where they were. They are dropped below,
        // unless they are kept.
        unsafe { events.rows_changed(plan, &left, now, &mut told) }
    }
    // Another operation may move the rows before this one is told of: if it is part of a larger one, or if a value panics.
    let is_part = events.scope_depth != 0;
    let pending = OnDrop::new((&mut events.pending, &*to), |(events, table)| {
        events.resolve_rows(table);
        events.mark_stale();
    });
    let finish = events.removals.finish(&told);
    // SAFETY: the values of the rows are still there; those that are kept are not dropped, and the others once.
    unsafe { source.drop_rows_except(told.kept(), Some(&route.left), first, count) }
    drop(finish);
    core::mem::forget(pending);
    if is_part {
        events.pending.resolve_rows(to);
    }
    store.flush_events();
}

/// The *move* phase of [`move_rows`]: moves the rows of a block behind the last row of the destination, and writes what is required.
///
/// # Safety
///
/// - The plan leads from the table of the block to the other table of its route, and there is room for the rows. All columns that the change
///   adds have been written there, except those of required components, whose values these are.
unsafe fn move_block(store: &mut Store, id: PlanId, block: &Block, exchange: bool, required: &mut StagedValues) {
    let Block { from, first, count, route, start } = block;
    let now = store.now();
    let Structure { archetypes, entities, sparse, .. } = &mut store.structure;
    let Planned { plan, tables, .. } = archetypes.at(id);
    // SAFETY: both are tables of this store, and they differ.
    let (source, to) = unsafe { tables.get_two_mut(*from, route.to) };
    let renewed = if plan.flags.intersects(PlanFlags::DISABLES) { *first..first + count } else { 0..0 };
    let renewals: Vec<_> = renewed.map(|row| source.renewal(row, to)).collect();
    // SAFETY: the pairs are those of a plan for these tables; there is room, and the columns that get new values have them,
    // some of them now.
    unsafe {
        move_staged_past_end(required, to);
        source.move_rows_to(*first, to, &route.pairs, &route.replaced, exchange, now);
    }
    match exchange {
        true => entities.set_table(to.entities(), route.to),
        false => entities.relocate_all(&to.entities()[*start..], route.to, *start as u32),
    }
    for (&entity, renewal) in to.entities()[*start..].iter().zip(renewals) {
        renew_sparse_changes(entities, sparse, entity, renewal, now.tick);
    }
}

/// [`insert_into`](Store::insert_into), when it has been told what goes.
fn insert_notified<B: Bundle>(
    store: &mut Store,
    selection: &Selection,
    change: Change,
    mut make: impl FnMut(&Store, Entity, usize) -> B,
) -> usize {
    let id = store.structure.archetypes.plan(selection.table, change);
    let plan = store.structure.archetypes.at(id).plan;
    if plan.table == selection.table || !plan.is_plain() {
        return insert_one_by_one(store, selection, make);
    }
    let count = selection.len(store);
    let entities = selection.rows.is_some().then(|| selection.entities(store));
    let write = |store: &mut Store, block: &Block| {
        let make = |store: &Store, entity, nth| make(store, entity, selection.before + nth);
        write_rows::<B>(store, id, block, entities.as_deref(), make);
    };
    // SAFETY: the plan is plain, and `write_rows` writes the only bundle of the change.
    unsafe { move_rows(store, id, selection, None, write) }
    count
}

/// As [`insert_into`](Store::insert_into), for a component that has this sparse storage, while no listener records.
fn insert_into_storage<B: Bundle>(
    store: &mut Store,
    number: usize,
    selection: &Selection,
    mut make: impl FnMut(&Store, Entity, usize) -> B,
) -> usize {
    let entities = selection.entities(store);
    let storage = &mut store.structure.sparse[number];
    if storage.len() != 0 && entities.iter().any(|entity| storage.contains(entity.index())) {
        for (nth, &entity) in entities.iter().enumerate() {
            let bundle = make(store, entity, selection.before + nth);
            give(bundle, |bundle| Located::find(store, entity).map(|located| located.insert(bundle)));
        }
        return entities.len();
    }
    let indexes = || entities.iter().map(|entity| entity.index());
    let room = storage
        .reserve_many(entities.len(), indexes())
        .and_then(|()| store.structure.entities.reserve_summary(indexes().max().unwrap_or(0)));
    room.unwrap_or_else(|error| error.raise());
    let (now, first) = (store.now(), store.structure.sparse[number].behind());
    let mut written = OnDrop::new((&mut *store, 0), |(store, count)| {
        // SAFETY: so many values have been written behind the others, and not been added.
        unsafe { store.structure.sparse[number].drop_past_end(*count) }
    });
    for (nth, &entity) in entities.iter().enumerate() {
        let bundle = make(written.0, entity, selection.before + nth);
        // SAFETY: the storage is the only component's, and there is room for so many behind its values. It stays where it
        // is, as `make` cannot change the store.
        give(bundle, |bundle| with_parts(bundle, |parts| unsafe { parts.write_sole(first, nth) }));
        written.1 = nth + 1;
    }
    core::mem::forget(written);
    // SAFETY: the entities of a selection differ; none of these has a value, and now these are written.
    unsafe { store.structure.sparse[number].add_written(&entities, now) }
    store.structure.entities.add_to_summaries(&entities, number);
    entities.len()
}

fn insert_one_by_one<B: Bundle>(
    store: &mut Store,
    selection: &Selection,
    mut make: impl FnMut(&Store, Entity, usize) -> B,
) -> usize {
    let entities = selection.entities(store);
    store.batched_after_notice(|store| {
        for (nth, &entity) in entities.iter().enumerate() {
            let bundle = make(store, entity, selection.before + nth);
            give(bundle, |bundle| {
                with_parts(bundle, |parts| {
                    let addition = inserting::<B>(store, parts);
                    if let Some(located) = Located::find(store, entity) {
                        located.add(addition);
                    }
                });
            });
        }
    });
    entities.len()
}

/// Tells what selected entities are about to lose by a change, in this order if there is one, if something is told.
#[must_use]
fn notify_before_change_of(
    store: &mut Store,
    selection: &Selection,
    order: Option<&[Entity]>,
    change: Change,
) -> DeferredPanic {
    let plan = store.structure.archetypes.planned(selection.table, change).plan;
    if plan.listeners.interest.intersects(Interest::OBSERVERS) {
        return store.with_affected(selection, order, |store, affected| {
            store.notify_before_change(affected, selection.table, change)
        });
    }
    DeferredPanic::default()
}

fn collect_change_of(store: &mut Store, events: &mut LifecycleEvents, selection: &Selection, change: Change) {
    let planned = store.structure.archetypes.planned(selection.table, change);
    if planned.plan.listeners.interest.intersects(Interest::OBSERVERS) {
        store.with_affected(selection, None, |store, affected| {
            events.add_change(store, affected, selection.table, change);
        });
    }
}

/// Writes new values behind the last row of the destination, in the order of these entities if it is not that of the rows. If
/// `make` panics they are dropped.
fn write_rows<B: Bundle>(
    store: &mut Store,
    plan: PlanId,
    block: &Block,
    entities: Option<&[Entity]>,
    mut make: impl FnMut(&Store, Entity, usize) -> B,
) {
    let order = entities.map(|entities| store.structure.entities.rows_of(entities));
    let Planned { plan, tables, .. } = store.structure.archetypes.at(plan);
    // SAFETY: the plan belongs to this bundle and leads to this table.
    let bases = unsafe { B::Parts::bases(tables.get_mut(block.route.to), &mut Targets::of(plan)) };
    // Values are made in this order of the rows.
    let offset = |nth: usize| order.as_ref().map_or(nth, |order| order[nth] as usize - block.first);
    let mut written = OnDrop::new((store, 0), |(store, count)| {
        for_each_despite_panics(0..*count, |nth| {
            let to = store.structure.archetypes.tables.get_mut(block.route.to);
            // SAFETY: this row has been written in these columns, and not been committed; it is visited once.
            unsafe { to.drop_rows_past_end(Some(&block.route.written), block.start + offset(nth), 1) }
        });
    });
    for nth in 0..block.count {
        let offset = offset(nth);
        // SAFETY: the table is one of the store, and has so many rows from `first` on.
        let entity = unsafe {
            let from = written.0.structure.archetypes.tables.get_unchecked(block.from);
            *from.entities().get_unchecked(block.first + offset)
        };
        let bundle = make(written.0, entity, nth);
        // SAFETY: there is room for so many rows, which hold no values in these columns; the columns stay where they
        // are, as `make` cannot change the store.
        give(bundle, |bundle| with_parts(bundle, |parts| unsafe { parts.write(bases, block.start + offset) }));
        written.1 = nth + 1;
    }
    core::mem::forget(written);
}

impl Structure {
    /// Makes room in the destination, and says where the rows will begin there, and whether the tables can exchange their
    /// columns.
    fn make_room(&mut self, from: TableId, route: &Route, first: usize, count: usize) -> (usize, bool) {
        // SAFETY: both are tables of this store; a route leads to another table.
        let (_, to) = unsafe { self.archetypes.tables.get_two_mut(from, route.to) };
        let exchange = first == 0 && to.is_empty();
        to.reserve_for(count, &route.pairs, exchange).unwrap_or_else(|error| error.raise());
        (to.len(), exchange)
    }
}
