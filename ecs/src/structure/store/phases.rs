//! The *prepare* and *finish* phases of a change of one entity, for plans whose flags require them.
//!
//! Tests: tests/storage/replaced.rs, tests/storage/required/panics.rs

use alloc::vec::Vec;

use super::change::{renew_sparse_changes, update_storages};
use super::change_spec::Subject;
use super::events::{LeftRows, held_by};
use super::lifecycle_events::AffectedEntities;
use super::required::{StagedValues, construct_required, is_missing, reserve_sparse, stage_required, write_staged};
use super::spawn_error::SpawnError;
use super::ticks::{note_renewed_sparse, note_targets};
use super::{Store, Structure};
use crate::component::transition::ListenerMask;
use crate::entity::{Entity, Location, TableId};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::{Table, Tables};
use crate::storage::tracking::Renewal;
use crate::structure::archetype::PlanContext;
use crate::structure::bundle::RowWriter;
use crate::structure::graph::{MovePlan, PlanFlags, PlanId, RequiredComponent};
use crate::structure::removal::{RemovalRecord, ValueFate};
use crate::util::alloc_error::{AllocError, try_reserve};
use crate::util::guard::{DeferredPanic, OnDrop, for_each_despite_panics};

/// The results of *prepare* that *finish* needs.
#[derive(Default)]
pub(super) struct PreparedChange {
    /// Required components that are not constructed in their row.
    pub(super) staged: StagedValues,
    /// The sparse storages that the entity was in before, if listeners are notified of them.
    pub(super) storages_before: Vec<u32>,
    /// The record of the removals of the change.
    pub(super) removals: RemovalRecord,
    /// Which earlier changes of sparse components count as made now, if the entity begins or ceases to be disabled.
    pub(super) renewal: Option<Renewal>,
    /// The panic of a listener that was notified before the change.
    pub(super) panicked: Option<DeferredPanic>,
}

/// The arguments of *finish*: the change that has been carried out, its plan, and where the entity was.
#[derive(Clone, Copy)]
pub(super) struct FinishArgs {
    pub(super) entity: Entity,
    pub(super) plan: PlanId,
    pub(super) from: Subject,
    /// The location of the entity now.
    pub(super) here: Location,
    pub(super) fate: ValueFate,
}

/// Carries out the *prepare* phase of a change. If this fails, the panic of a listener that was notified before the change is resumed.
///
/// # Errors
///
/// If there is no memory, or no id. Nothing has happened; the same holds if a constructor panics.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn prepare(
    store: &mut Store,
    subject: Subject,
    id: PlanId,
    fate: ValueFate,
    prepared: &mut Option<PreparedChange>,
) -> Result<(), SpawnError> {
    match subject {
        Subject::New | Subject::Pending(_) => prepare_spawn(store, subject, id, prepared),
        Subject::Alive(entity, location) => Ok(prepare_change(store, entity, location, id, fate, prepared)?),
    }
}

/// Carries out the *prepare* phase of a change of a live entity. If this fails, the panic of a listener that was notified before the change
/// is resumed.
#[inline(never)]
fn prepare_change(
    store: &mut Store,
    entity: Entity,
    from: Location,
    id: PlanId,
    fate: ValueFate,
    prepared: &mut Option<PreparedChange>,
) -> Result<(), AllocError> {
    let Some(mut panicked) = prepared.as_mut().and_then(|prepared| prepared.panicked.take()) else {
        return make_room(store, entity, from, id, fate, prepared);
    };
    panicked.go_on_if_fails(|| make_room(store, entity, from, id, fate, prepared))?;
    prepared.get_or_insert_default().panicked = Some(panicked);
    Ok(())
}

/// Makes room for everything that a change adds to a live entity, and constructs its required components.
///
/// # Errors
///
/// If there is no memory. Nothing has happened; the same holds if a constructor panics.
#[inline(never)]
fn make_room(
    store: &mut Store,
    entity: Entity,
    from: Location,
    id: PlanId,
    fate: ValueFate,
    prepared: &mut Option<PreparedChange>,
) -> Result<(), AllocError> {
    let Store { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = &mut *store;
    let PlanContext { plan, tables, components } = archetypes.at(id);
    let (flags, index, moves) = (plan.flags, entity.index(), plan.table != from.table);
    let is_listed = flags.intersects(PlanFlags::RECORDS.union(PlanFlags::NOTIFIES_AFTER));
    let summary = entities.sparse_summary(index);
    let watches_sparse = flags.intersects(PlanFlags::SPARSE) && events.watches(summary);
    reserve_sparse(sparse, entities, plan, index)?;
    if is_listed || watches_sparse {
        let prepared = prepared.get_or_insert_default();
        prepared.removals = events.removals.make_room(plan.lost.iter().copied(), summary, 1, fate)?;
        if watches_sparse {
            try_reserve(&mut prepared.storages_before, sparse.len())?;
            prepared.storages_before.extend(held_by(entity, summary, sparse).map(|storage| storage as u32));
        }
    }
    let past_end = usize::from(flags.intersects(PlanFlags::REPLACES));
    tables.get_mut(plan.table).reserve(usize::from(moves) + past_end)?;
    if flags.intersects(PlanFlags::DISABLES)
        && let Some((source, to)) = tables.get(from.table).zip(tables.get(plan.table))
    {
        prepared.get_or_insert_default().renewal = Some(source.renewal(from.row as usize, to));
    }
    if flags.intersects(PlanFlags::REQUIRES) {
        let in_new_row = |required: &RequiredComponent| moves && required.new_column().is_some();
        let wanted = |required: &RequiredComponent| !in_new_row(required) && is_missing(required, sparse, index);
        if flags.intersects(PlanFlags::REQUIRES_ELSEWHERE) {
            prepared.get_or_insert_default().staged = stage_required(plan, components, 1, wanted)?;
        }
        if moves {
            // SAFETY: the plan leads to this table, which has room for a row, and `execute` makes it one.
            unsafe { construct_required(tables.get_mut(plan.table), plan) };
        }
    }
    Ok(())
}

/// Carries out the *prepare* phase of a change by which an entity gets its first row.
///
/// # Errors
///
/// If there is no memory, or no id. Nothing has happened; the same holds if a constructor panics.
#[inline(never)]
fn prepare_spawn(
    store: &mut Store,
    subject: Subject,
    id: PlanId,
    prepared: &mut Option<PreparedChange>,
) -> Result<(), SpawnError> {
    if matches!(subject, Subject::New) {
        store.try_flush()?;
    }
    let Store { structure: Structure { archetypes, entities, sparse, .. }, .. } = &mut *store;
    let PlanContext { plan, tables, components } = archetypes.at(id);
    let table = tables.get_mut(plan.table);
    table.reserve(1)?;
    let index = match subject {
        Subject::Pending(entity) => entity.index(),
        _ => entities.reserve_next()?,
    };
    reserve_sparse(sparse, entities, plan, index)?;
    if plan.flags.intersects(PlanFlags::REQUIRES_ELSEWHERE) {
        let staged = stage_required(plan, components, 1, |required| required.new_column().is_none())?;
        prepared.get_or_insert_default().staged = staged;
    }
    // SAFETY: the plan leads to this table, which has room for a row, and `execute` makes it one, since there is an id.
    unsafe { construct_required(table, plan) };
    Ok(())
}

/// Carries out the *finish* phase of a change whose plan has these special flags. Returns true if no listener has been notified, so that
/// the entity is still at its new location.
///
/// # Safety
///
/// - The change has been carried out except for this phase, and nothing has happened since. `prepared` is the result of its *prepare*
///   phase. `flags` are the flags of the plan.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn finish(
    store: &mut Store,
    flags: PlanFlags,
    changed: FinishArgs,
    prepared: &mut Option<PreparedChange>,
) -> bool {
    let drops = PlanFlags::DROPS.union(PlanFlags::REPLACES);
    if flags.intersects(PlanFlags::FINISH.difference(drops)) {
        // SAFETY: forwarded.
        return unsafe { finish_entity(store, changed, prepared) };
    }
    if flags.intersects(drops) {
        let PlanContext { plan, tables, .. } = store.structure.archetypes.at(changed.plan);
        // SAFETY: forwarded. No listener takes a value.
        unsafe { drop_values_in(plan, tables, (changed.from.table(), changed.here.table), (changed.fate, &[])) }
    }
    true
}

/// Carries out the *finish* phase of a change, if the phase does more than drop values.
///
/// # Safety
///
/// - As for [`finish`].
#[inline(never)]
unsafe fn finish_entity(store: &mut Store, changed: FinishArgs, prepared: &mut Option<PreparedChange>) -> bool {
    let FinishArgs { entity, plan: id, from, .. } = changed;
    let plan = store.structure.archetypes.at(id).plan;
    let only_notifies = !plan.flags.intersects(PlanFlags::FINISH.difference(PlanFlags::NOTIFIES_AFTER));
    if only_notifies {
        store.events.add_change(entity, plan, from.has_no_row());
        match prepared.as_mut().and_then(|prepared| prepared.panicked.take()) {
            Some(panicked) => store.finish_operation(panicked),
            None => store.flush_events(),
        }
        return false;
    }
    let Subject::Alive(_, from) = from else { return finish_spawn(store, changed, prepared) };
    // SAFETY: forwarded: the change has been carried out except for this phase.
    let panicked = unsafe { finish_change(store, changed, from, prepared.take().unwrap_or_default()) };
    let has_pending = store.events.has_pending;
    match panicked {
        Some(panicked) => store.finish_operation(panicked),
        None => store.flush_events(),
    }
    !has_pending
}

/// Carries out the *finish* phase of a change by which an entity has got its first row.
fn finish_spawn(store: &mut Store, changed: FinishArgs, prepared: &mut Option<PreparedChange>) -> bool {
    let (FinishArgs { entity, plan: id, here, .. }, now) = (changed, store.now());
    let Store { structure: Structure { archetypes, entities, sparse, .. }, .. } = &mut *store;
    let PlanContext { plan, tables, components } = archetypes.at(id);
    if let Some(PreparedChange { staged, .. }) = prepared {
        let (table, row) = (tables.get_mut(here.table), here.row as usize);
        // SAFETY: the values are required components of the plan, whose row this is; room in sparse storages was reserved.
        unsafe { write_staged(staged, &mut RowWriter::new(plan, table, row, entity, sparse, now)) }
    }
    if plan.flags.intersects(PlanFlags::SPARSE) {
        entities.set_sparse_summary(entity.index(), plan.added_storages);
    }
    let storages = plan.added_storages;
    let linked = plan.flags.intersects(PlanFlags::ONLY_LINKS).then(|| plan.linking_component(components)).flatten();
    if let Some(component) = linked.filter(|_| store.events.can_link_at_once(storages)) {
        return store.link_new_source(component, entity);
    }
    let plan = store.structure.archetypes.at(id).plan;
    if plan.listeners.interest.is_empty() {
        return true;
    }
    let now = store.clock.change_tick();
    store.events.record_spawned(&store.structure, now, here.table, here.row as usize);
    let has_pending = store.events.has_pending;
    store.flush_events();
    !has_pending
}

/// Carries out the *finish* phase of a change of a live entity: writes the staged required components, removes the entity from sparse
/// storages, records the changes for listeners, and drops the values that are left. If updates of links are pending, the panic of a
/// destructor is caught. Returns this panic, or an earlier one that `prepared` contains.
///
/// # Safety
///
/// - As for [`finish`]. Before the change the entity was at `from`.
unsafe fn finish_change(
    store: &mut Store,
    changed: FinishArgs,
    from: Location,
    prepared: PreparedChange,
) -> Option<DeferredPanic> {
    let (FinishArgs { entity, plan: id, here, fate, .. }, now) = (changed, store.now());
    let PreparedChange { mut staged, storages_before, mut removals, renewal, mut panicked } = prepared;
    let Store { structure: Structure { archetypes, entities, sparse, .. }, events, .. } = &mut *store;
    let PlanContext { plan, tables, components } = archetypes.at(id);
    let flags = plan.flags;
    if !staged.is_empty() {
        let (table, row) = (tables.get_mut(here.table), here.row as usize);
        // SAFETY: the values are required components of the plan, whose row this is. *Prepare* has reserved room in sparse storages, and
        // past the end if a value is replaced.
        unsafe { write_staged(&mut staged, &mut RowWriter::new(plan, table, row, entity, sparse, now)) }
        if table.is_tracked() {
            note_targets(plan, table, row, now);
        }
    }
    if flags.intersects(PlanFlags::RENEWS) {
        note_renewed_sparse(plan, entity, sparse, now);
    }
    if flags.intersects(PlanFlags::SPARSE) {
        update_storages(entities, sparse, plan, entity, !storages_before.is_empty());
    }
    if let Some(renewal) = renewal {
        renew_sparse_changes(entities, sparse, entity, renewal, now.tick);
    }
    if !plan.listeners.interest.is_empty() {
        let source = tables.get_mut(from.table);
        let past_end = source.len();
        let left = LeftRows { table: source, entities: &[entity], row: |_| past_end, fate };
        // SAFETY: the values that the row had in these columns are past the end. They are dropped below, unless they are kept or have been
        // taken.
        unsafe { events.rows_changed(plan, &left, AffectedEntities::Listed(&[entity]), &mut removals) }
    }
    let is_notified = !storages_before.is_empty()
        || plan.listeners.interest.intersects(ListenerMask::RECORDER.union(ListenerMask::OBSERVERS));
    if flags.intersects(PlanFlags::SPARSE) && is_notified {
        let summary = entities.sparse_summary(entity.index());
        let values = (&mut sparse[..], components);
        events.sparse_changed(plan, (entity, fate), &storages_before, summary, values, &mut removals);
    }
    let has_links = !events.links.are_settled();
    let _finish = events.finish(&removals);
    let mut drop_rest = || {
        let _sparse = OnDrop::new(&mut *sparse, |sparse| drop_retired_values(sparse, plan));
        // SAFETY: forwarded. The values that listeners keep are not dropped.
        unsafe { drop_values_in(plan, tables, (from.table, here.table), (fate, removals.kept())) }
    };
    if has_links {
        let dropped = DeferredPanic::catch(drop_rest);
        panicked = Some(panicked.unwrap_or_default().or(dropped));
    } else {
        drop_rest();
    }
    panicked
}

/// Drops the values that a change of an entity has left past the end of its old table, unless they have been taken, and the values that
/// were replaced in its new table. If a destructor panics, the other values are still dropped. Values of the columns in `kept` are not
/// dropped.
///
/// # Safety
///
/// - The entity has just been changed by the plan and is in the table `to`. If it has moved there, `from` is its old table; otherwise
///   `from` is `None`.
#[inline(never)]
pub(super) unsafe fn drop_values(
    plan: &MovePlan,
    from: Option<&mut Table>,
    to: &mut Table,
    (fate, kept): (ValueFate, &[u32]),
) {
    let _replaced = OnDrop::new(to, |table| {
        // SAFETY: the row writer has moved the replaced values of these columns past the end, where nothing else owns them.
        unsafe { table.drop_past_end(plan.replaces.iter().copied()) }
    });
    if let Some(table) = from.filter(|_| fate == ValueFate::Dropped) {
        // SAFETY: these moves have moved a row out of this table, and nothing has happened since.
        unsafe { table.drop_left(&plan.other_moves, kept) }
    }
}

/// Calls [`drop_values`] for the tables with these numbers.
///
/// # Safety
///
/// - As for [`drop_values`].
unsafe fn drop_values_in(
    plan: &MovePlan,
    tables: &mut Tables,
    (from, to): (TableId, TableId),
    values: (ValueFate, &[u32]),
) {
    // SAFETY: forwarded; tables with different numbers differ.
    unsafe {
        if from == to {
            return drop_values(plan, None, tables.get_mut(to), values);
        }
        let (source, table) = tables.get_two_mut(from, to);
        drop_values(plan, Some(source), table, values);
    }
}

/// Drops the removed and replaced values that have been moved past the end of sparse storages.
fn drop_retired_values(sparse: &mut [SparseStorage], plan: &MovePlan) {
    if plan.flags.intersects(PlanFlags::SPARSE) {
        let others = if plan.retains.is_some() { 0..sparse.len() } else { 0..0 };
        let storages = plan.left_storages.iter().map(|&storage| storage as usize);
        let storages = storages.chain(plan.sparse_targets()).chain(others);
        for_each_despite_panics(storages, |storage| sparse[storage].drop_retired());
    }
}
