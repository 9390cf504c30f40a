//! Changing many entities at once, table by table.
//!
//! The rows of a table that change are first moved to the end of the table. From there they move as blocks, one for each column. If they
//! are all rows of the table and the destination is empty, the tables exchange the memory of their columns.
//!
//! When tables exchange the memory of their columns, entities keep their rows, so only the table in their slots changes. Values that a
//! user's function makes are written past the end of the destination before anything moves. If the function panics, the values are dropped,
//! and nothing has happened.
//!
//! Tests: tests/storage/selections, tests/model/bulk.rs

use alloc::vec::Vec;
use core::ptr::{self, NonNull};

use super::addition::{inserting, removing};
use super::change::{remove_all_from_storage, renew_sparse_changes};
use super::dynamic::change_with;
use super::events::LeftRows;
use super::lifecycle_events::{AffectedEntities, LifecycleEvents};
use super::located::LocatedEntity;
use super::make::{NewRows, RowIds, make_rows};
use super::required::{StagedValues, move_staged_past_end, stage_required};
use super::selection::Selection;
use super::{Store, Structure};
use crate::component::transition::ListenerMask;
use crate::component::{Components, StorageType};
use crate::entity::{Entity, Location, ReserveError, SparseMask, TableId};
use crate::storage::column::{NewValues, copy_item};
use crate::storage::table::{ColumnMove, Table};
use crate::structure::archetype::PlanContext;
use crate::structure::bundle::{Bundle, BundleParts, BundleTargets, FieldLayout, with_moving_ptr, with_parts};
use crate::structure::graph::{ChangeKey, ChangeStep, ComponentTarget, MovePlan, PlanFlags, PlanId};
use crate::structure::removal::{RemovalRecord, ValueFate};
use crate::util::guard::{DeferredPanic, OnDrop, for_each_despite_panics};

/// Recorded bundle parts of several entities.
pub(super) struct PartsBatch<'a> {
    pub(super) entities: &'a [Entity],
    /// The layout of the parts of one entity.
    pub(super) leaves: &'a [FieldLayout],
    /// The address of the parts of the first entity.
    pub(super) start: NonNull<u8>,
    /// The number of bytes from the parts of one entity to the parts of the next.
    pub(super) stride: usize,
}

impl PartsBatch<'_> {
    /// Moves the values of all leaves into the columns that their targets name. The values of each entity go to the row that `row` returns
    /// for the index of the entity in `entities`.
    ///
    /// # Safety
    ///
    /// - The leaves are full and at the addresses that the batch gives, and belong to the targets, in order. Each target names a column of
    ///   the table or is [`ComponentTarget::Nowhere`]. The rows are within the capacity of the table, and the columns hold no values in
    ///   these rows.
    unsafe fn write(&self, table: &Table, targets: &[ComponentTarget], row: impl Fn(usize) -> usize) {
        let count = self.entities.len();
        // The parts of 64 entities stay in the L1 cache from one column to the next.
        for first in (0..count).step_by(64) {
            let numbers = first..count.min(first + 64);
            for (&leaf, target) in self.leaves.iter().zip(targets) {
                let ComponentTarget::Column { index, .. } = *target else { continue };
                let column = table.column(index as usize).data();
                let copy = |size: usize| {
                    for number in numbers.clone() {
                        // SAFETY: forwarded: the leaf is full, and the row is within the capacity and holds no value; the size is the size
                        // of the leaf.
                        unsafe {
                            let value = self.start.add(number * self.stride + leaf.value);
                            copy_item(value.as_ptr(), column.add(row(number) * size).as_ptr(), size);
                        }
                    }
                };
                // With a constant size the compiler copies a value with one or two instructions.
                match leaf.size {
                    4 => copy(4),
                    8 => copy(8),
                    12 => copy(12),
                    16 => copy(16),
                    size => copy(size),
                }
                if leaf.needs_drop {
                    for number in numbers.clone() {
                        // SAFETY: forwarded: the parts are where the batch says, and this leaf has a flag that says whether it is full.
                        unsafe { self.start.add(number * self.stride + leaf.full).cast::<bool>().write(false) }
                    }
                }
            }
        }
    }
}

/// Recorded bundle parts of entities that are spawned, and their required components.
struct RecordedRows<'a> {
    batch: &'a PartsBatch<'a>,
    targets: &'a [ComponentTarget],
    required: StagedValues,
}

impl NewRows for RecordedRows<'_> {
    unsafe fn write(&mut self, table: &Table) {
        let first = table.len();
        // SAFETY: forwarded from [`NewRows::write`]: the leaves are full and belong to the targets, and the table has room for the rows
        // past the end.
        unsafe {
            self.batch.write(table, self.targets, |number| first + number);
            move_staged_past_end(&mut self.required, table);
        }
    }
}

/// Constructs the required components of a plan for this number of entities.
fn make_required(plan: &MovePlan, components: &Components, count: usize) -> StagedValues {
    stage_required(plan, components, count, |_| true).unwrap_or_else(|error| error.raise())
}

/// Rows of a table that are about to move, from `first` on, and their destination.
struct RangeMove {
    from: TableId,
    first: usize,
    count: usize,
    route: ColumnRoute,
    /// The row of the destination to which the first of these rows moves.
    start: usize,
}

/// The columns that are involved when rows move to another table.
struct ColumnRoute {
    to: TableId,
    /// The columns whose values move with the entities.
    pairs: Vec<ColumnMove>,
    /// The columns whose old values are replaced by new ones.
    replaced: Vec<ColumnMove>,
    /// The columns of the source whose values are removed.
    left: Vec<u32>,
    /// The columns of the destination that get new values.
    written: Vec<u32>,
}

impl ColumnRoute {
    fn of(plan: &MovePlan) -> Self {
        let column = |target: &ComponentTarget| match *target {
            ComponentTarget::Column { index, .. } => Some(index),
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
    /// Inserts a bundle into the entities of a selection and returns their number. `make` is called once for each entity, in the order of
    /// the rows, with the number of the entity among all selected entities. Required components are constructed before that.
    ///
    /// If `make` panics, entities that stay in their table keep the values that they have already got, and all other entities are
    /// unchanged.
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

    /// Collects the events of components that selected entities are about to lose because a bundle is inserted.
    pub(crate) fn collect_insertion<B: Bundle>(&mut self, events: &mut LifecycleEvents, selection: &Selection) {
        let change = self.insertion_of::<B>();
        collect_change_of(self, events, selection, change);
    }

    /// Collects the events of components that selected entities are about to lose because a bundle is removed.
    pub(crate) fn collect_removal<B: Bundle>(&mut self, events: &mut LifecycleEvents, selection: &Selection) {
        let change = removing::<B>(self).change();
        collect_change_of(self, events, selection, change);
    }

    /// Tries to insert values of several components into entities as one block move. A column has a value for each entity, in order. The
    /// entities must be different entities of one table; the components must be table-stored and new to the table. If that is not possible,
    /// returns the columns as the error.
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
        let write = |store: &mut Self, block: &RangeMove| {
            let rows = store.structure.entities.rows_of(entities);
            let places: Vec<usize> = rows.iter().map(|row| *row as usize - block.first).collect();
            let are_in_order = places.iter().enumerate().all(|(nth, place)| nth == *place);
            let PlanContext { plan, tables, .. } = store.structure.archetypes.at(id);
            let table = tables.get_mut(block.route.to);
            for (values, target) in columns.iter_mut().zip(&plan.targets) {
                let ComponentTarget::Column { index, .. } = *target else { continue };
                let (size, from) = (values.descriptor().layout().size(), values.data());
                let column = table.column(index as usize);
                values.forget();
                // SAFETY: the table that the plan leads to has room for the rows of the block past the end, where its columns hold no
                // values. The plan is plain, so each of the columns is written once. The values belong to the component of the column,
                // since they are in the order of the bundle that the change adds; there is one for each entity, and they are not used
                // again. Each entity has its own row in the block.
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

    /// Tries to change the entities of a batch, which are all in this table, as one block move. Returns false if that is not possible.
    ///
    /// # Safety
    ///
    /// - The batch has full parts of the bundles that the change adds for each entity, in order.
    pub(super) unsafe fn change_together(&mut self, change: ChangeKey, table: TableId, batch: &PartsBatch<'_>) -> bool {
        let id = self.structure.archetypes.plan(table, change);
        let plan = self.structure.archetypes.at(id).plan;
        if plan.table == table || !plan.is_plain() {
            return false;
        }
        let Some(selection) = self.structure.select_in(table, batch.entities) else { return false };
        let write = |store: &mut Self, block: &RangeMove| {
            let rows = store.structure.entities.rows_of(batch.entities);
            let row = |number: usize| block.start + rows[number] as usize - block.first;
            let PlanContext { plan, tables, .. } = store.structure.archetypes.at(id);
            // SAFETY: the table that the plan leads to has room for the rows of the block past the end; the plan is plain.
            unsafe { batch.write(tables.get_mut(block.route.to), &plan.targets, row) }
        };
        // SAFETY: the plan is plain, and the batch has all bundles of the change.
        unsafe { move_rows(self, id, &selection, Some(batch.entities), write) }
        true
    }

    /// Tries to give the entities of a batch their first components as one block. Unless `new` is true, their ids should be pending.
    /// Returns false if that is not possible.
    ///
    /// # Safety
    ///
    /// - The batch has full parts of the bundles that the change adds for each entity, in order.
    pub(super) unsafe fn spawn_together(&mut self, change: ChangeKey, batch: &PartsBatch<'_>, new: bool) -> bool {
        let PlanContext { plan, tables, components } = self.structure.archetypes.planned(TableId::EMPTY, change);
        if !plan.is_plain() || !(new || self.structure.entities.claim_pending(batch.entities)) {
            return false;
        }
        let count = batch.entities.len();
        match self.structure.entities.reserve_next_many(if new { count } else { 0 }) {
            Ok(()) => {}
            // There are fewer ids left than entities: the slow path uses the remaining ids one by one.
            Err(ReserveError::IdsExhausted) => return false,
            Err(ReserveError::OutOfMemory(error)) => error.raise(),
        }
        let table = tables.get_mut(plan.table);
        table.reserve(count).unwrap_or_else(|error| error.raise());
        let required = make_required(plan, components, count);
        let (table, targets) = (plan.table, plan.targets.clone());
        let ids = if new { RowIds::New } else { RowIds::Pending(batch.entities) };
        // SAFETY: the table has room for the rows. The plan is plain, and the batch has all bundles of the change.
        unsafe { make_rows(self, table, count, ids, &mut RecordedRows { batch, targets: &targets, required }) };
        true
    }

    /// Removes the components of a bundle from the entities of a selection, and drops them. Entities may have only some of the components.
    /// Returns the number of entities.
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
                    if let Some(located) = LocatedEntity::find(store, entity) {
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

/// Moves all entities of a selection to the table to which a plan leads, and drops the values that the entities lose. `write` writes the
/// new values into the block of rows past the end of the destination. `order` lists the selected entities in the order in which listeners
/// are notified, if that is not the order of their rows.
///
/// If `write` panics, or there is no memory, nothing has happened, except that the order of rows may have changed.
///
/// # Safety
///
/// - The plan is a plain plan for the table of the selection and leads to another table. `write` writes all components of each bundle that
///   the change adds, to each row, or panics and leaves no values.
unsafe fn move_rows(
    store: &mut Store,
    id: PlanId,
    selection: &Selection,
    order: Option<&[Entity]>,
    write: impl FnOnce(&mut Store, &RangeMove),
) {
    let count = selection.len(store);
    let PlanContext { plan, components, .. } = store.structure.archetypes.at(id);
    let (from, route) = (selection.table, ColumnRoute::of(plan));
    let mut aside = make_required(plan, components, count);
    let (mut listed, mut told) = (Vec::new(), RemovalRecord::default());
    let interest = plan.listeners.interest;
    if !interest.is_empty() {
        let (lost, storages) = (plan.lost.iter().copied(), SparseMask::default());
        let room = store.events.removals.make_room(lost, storages, count, ValueFate::Dropped);
        told = room.unwrap_or_else(|error| error.raise());
    }
    // Listeners can read the entities from the rows of the destination, if these rows are in the order of notification. Otherwise the
    // entities are listed.
    let in_order = order.is_none() && selection.rows.is_none();
    if interest.intersects(ListenerMask::REMOVALS.union(ListenerMask::RECORDER)) || !interest.is_empty() && !in_order {
        listed = order.map_or_else(|| selection.entities(store), <[Entity]>::to_vec);
    }
    let first = store.structure.gather(selection);
    // `gather` has moved some rows, so the rows of the listed entities are looked up after it.
    let rows = store.structure.entities.rows_of(&listed);
    let (start, exchange) = store.structure.make_room(from, &route, first, count);
    let block = RangeMove { from, first, count, route, start };
    write(store, &block);
    // SAFETY: the plan leads from this table to another one. There is room, and `write` has written the new values.
    unsafe { move_block(store, id, &block, exchange, &mut aside) }
    let (RangeMove { route, .. }, Store { structure, events, .. }) = (block, &mut *store);
    let PlanContext { plan, tables, .. } = structure.archetypes.at(id);
    // SAFETY: both are tables of this store, and they differ.
    let (source, to) = unsafe { tables.get_two_mut(from, route.to) };
    if !interest.is_empty() {
        let row = |number: usize| rows[number] as usize;
        let left = LeftRows { table: source, entities: &listed, row, fate: ValueFate::Dropped };
        let moved = AffectedEntities::Rows { table: route.to, first: start, count };
        let now = if in_order { moved } else { AffectedEntities::Listed(&listed) };
        // SAFETY: the rows have been moved, and their values in these columns stay where they were until they are dropped below.
        unsafe { events.rows_changed(plan, &left, now, &mut told) }
    }
    // In a larger operation, or if a `Drop` panics, rows may move before the events are delivered. So the events list the entities.
    let is_part = events.scope_depth != 0;
    let pending = OnDrop::new((&mut events.pending, &*to), |(events, table)| {
        events.resolve_rows(table);
        events.mark_stale();
    });
    let finish = events.removals.finish(&told);
    // SAFETY: the values of the rows are still there; kept ones are not dropped, and the others are dropped once.
    unsafe { source.drop_rows_except(told.kept(), Some(&route.left), first, count) }
    drop(finish);
    core::mem::forget(pending);
    if is_part {
        events.pending.resolve_rows(to);
    }
    store.flush_events();
}

/// Carries out the *move* phase of [`move_rows`]: moves the rows of a block past the end of the destination, and writes the required
/// components.
///
/// # Safety
///
/// - The plan leads from the table of the block to the other table of its route, and there is room for the rows. All columns that the
///   change adds have been written there, except the columns of required components, whose values are in `required`.
unsafe fn move_block(store: &mut Store, id: PlanId, block: &RangeMove, exchange: bool, required: &mut StagedValues) {
    let RangeMove { from, first, count, route, start } = block;
    let now = store.now();
    let Structure { archetypes, entities, sparse, .. } = &mut store.structure;
    let PlanContext { plan, tables, .. } = archetypes.at(id);
    // SAFETY: both are tables of this store, and they differ.
    let (source, to) = unsafe { tables.get_two_mut(*from, route.to) };
    let renewed = if plan.flags.intersects(PlanFlags::DISABLES) { *first..first + count } else { 0..0 };
    let renewals: Vec<_> = renewed.map(|row| source.renewal(row, to)).collect();
    // SAFETY: `pairs` belong to a plan for these tables; there is room, and all columns that get new values have them, the required ones as
    // of this block.
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

/// Inserts a bundle as [`insert_into`](Store::insert_into) does, after listeners have been notified of the lost components.
fn insert_notified<B: Bundle>(
    store: &mut Store,
    selection: &Selection,
    change: ChangeKey,
    mut make: impl FnMut(&Store, Entity, usize) -> B,
) -> usize {
    let id = store.structure.archetypes.plan(selection.table, change);
    let plan = store.structure.archetypes.at(id).plan;
    if plan.table == selection.table || !plan.is_plain() {
        return insert_one_by_one(store, selection, make);
    }
    let count = selection.len(store);
    let entities = selection.rows.is_some().then(|| selection.entities(store));
    let write = |store: &mut Store, block: &RangeMove| {
        let make = |store: &Store, entity, nth| make(store, entity, selection.before + nth);
        write_rows::<B>(store, id, block, entities.as_deref(), make);
    };
    // SAFETY: the plan is plain, and `write_rows` writes the only bundle of the change.
    unsafe { move_rows(store, id, selection, None, write) }
    count
}

/// As [`insert_into`](Store::insert_into), for a bundle whose only component is in this sparse storage. No listener observes the storage.
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
            with_moving_ptr(bundle, |bundle| LocatedEntity::find(store, entity).map(|located| located.insert(bundle)));
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
        // SAFETY: this many values have been written past the end of the storage, and have not been added.
        unsafe { store.structure.sparse[number].drop_past_end(*count) }
    });
    for (nth, &entity) in entities.iter().enumerate() {
        let bundle = make(written.0, entity, selection.before + nth);
        // SAFETY: the storage belongs to the only component, and has room past the end for all values. It does not move, as `make` cannot
        // change the store.
        with_moving_ptr(bundle, |bundle| with_parts(bundle, |parts| unsafe { parts.write_sole(first, nth) }));
        written.1 = nth + 1;
    }
    core::mem::forget(written);
    // SAFETY: the entities of a selection differ; none of them has a value in the storage, and their values have just been written.
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
            with_moving_ptr(bundle, |bundle| {
                with_parts(bundle, |parts| {
                    let addition = inserting::<B>(store, parts);
                    if let Some(located) = LocatedEntity::find(store, entity) {
                        located.add(addition);
                    }
                });
            });
        }
    });
    entities.len()
}

/// Notifies listeners of the components that selected entities are about to lose by a change; in the order of `order`, if it is given.
#[must_use]
fn notify_before_change_of(
    store: &mut Store,
    selection: &Selection,
    order: Option<&[Entity]>,
    change: ChangeKey,
) -> DeferredPanic {
    let plan = store.structure.archetypes.planned(selection.table, change).plan;
    if plan.listeners.interest.intersects(ListenerMask::OBSERVERS) {
        return store.with_affected(selection, order, |store, affected| {
            store.notify_before_change(affected, selection.table, change)
        });
    }
    DeferredPanic::default()
}

fn collect_change_of(store: &mut Store, events: &mut LifecycleEvents, selection: &Selection, change: ChangeKey) {
    let planned = store.structure.archetypes.planned(selection.table, change);
    if planned.plan.listeners.interest.intersects(ListenerMask::OBSERVERS) {
        store.with_affected(selection, None, |store, affected| {
            events.add_change(store, affected, selection.table, change);
        });
    }
}

/// Writes new values past the end of the destination: in the order of `entities` or, without them, in the order of the rows. If `make`
/// panics, the values are dropped.
fn write_rows<B: Bundle>(
    store: &mut Store,
    plan: PlanId,
    block: &RangeMove,
    entities: Option<&[Entity]>,
    mut make: impl FnMut(&Store, Entity, usize) -> B,
) {
    let order = entities.map(|entities| store.structure.entities.rows_of(entities));
    let PlanContext { plan, tables, .. } = store.structure.archetypes.at(plan);
    // SAFETY: the plan belongs to this bundle and leads to this table.
    let bases = unsafe { B::Parts::bases(tables.get_mut(block.route.to), &mut BundleTargets::of(plan)) };
    // Values are made in the order of the rows, unless `entities` gives another order.
    let offset = |nth: usize| order.as_ref().map_or(nth, |order| order[nth] as usize - block.first);
    let mut written = OnDrop::new((store, 0), |(store, count)| {
        for_each_despite_panics(0..*count, |nth| {
            let to = store.structure.archetypes.tables.get_mut(block.route.to);
            // SAFETY: this row has been written in these columns, and not been committed; each row is visited once.
            unsafe { to.drop_rows_past_end(Some(&block.route.written), block.start + offset(nth), 1) }
        });
    });
    for nth in 0..block.count {
        let offset = offset(nth);
        // SAFETY: the table belongs to the store, and has `count` rows from `first` on.
        let entity = unsafe {
            let from = written.0.structure.archetypes.tables.get_unchecked(block.from);
            *from.entities().get_unchecked(block.first + offset)
        };
        let bundle = make(written.0, entity, nth);
        with_moving_ptr(bundle, |bundle| {
            // SAFETY: there is room for the rows, which hold no values in these columns; the columns do not move, as `make` cannot change
            // the store.
            with_parts(bundle, |parts| unsafe { parts.write(bases, block.start + offset) });
        });
        written.1 = nth + 1;
    }
    core::mem::forget(written);
}

impl Structure {
    /// Makes room in the destination. Returns the first new row there, and whether the tables can exchange the memory of their columns.
    fn make_room(&mut self, from: TableId, route: &ColumnRoute, first: usize, count: usize) -> (usize, bool) {
        // SAFETY: both are tables of this store; a route leads to another table.
        let (_, to) = unsafe { self.archetypes.tables.get_two_mut(from, route.to) };
        let exchange = first == 0 && to.is_empty();
        to.reserve_for(count, &route.pairs, exchange).unwrap_or_else(|error| error.raise());
        (to.len(), exchange)
    }
}
