//! Recording the changes of an operation: in removal logs, in the recorder and the journal, and as pending events. Spawns are recorded in
//! `record`.
//!
//! An operation makes room ([`Removals::make_room`], which may fail), moves rows, and then reports the changes here, before it drops
//! anything. No user code runs in between. Values that a move has left are past the end of their table. If a removal log keeps the values
//! of a column, [`RemovalRecord::kept`] lists the column. If the [`ListenerMask`] of a plan or table contains no listener, none of these
//! functions is called.
//!
//! Tests: tests/storage/transitions.rs, tests/storage/lifecycle.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::lifecycle_events::{AffectedEntities, LifecycleEvents};
use super::links::StoreLinks;
use super::observed_storages::ObservedStorages;
use crate::component::transition::{ListenerMask, Transition};
use crate::component::{ComponentId, Components, LifecycleMask};
use crate::entity::{Entity, SparseMask, TableId};
use crate::storage::journal::{Journal, JournalStart, Recorder};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::{Table, Tables};
use crate::storage::tracking::Spawns;
use crate::structure::graph::{ComponentTarget, MovePlan};
use crate::structure::removal::{FinishRemovals, RemovalRecord, Removals, ValueFate};
use crate::util::guard::DeferredPanic;

/// The listeners of operations, and the pending lifecycle events.
#[derive(Default)]
pub(crate) struct Events<D> {
    pub(crate) removals: Removals,
    /// The ticks at which entities were spawned. They are recorded once a query needs them.
    pub(crate) spawns: Option<Spawns>,
    /// The recorder of transitions, if there is one.
    pub(super) recorded: Option<Box<Recorder>>,
    /// The start of the next journal, while no journal is active.
    next_journal: JournalStart,
    /// The observers and the state of dispatches: a `Dispatch` of the store.
    pub(crate) dispatch: D,
    /// Whether a component has an observer or a hook, or is a side of a relationship or relation.
    pub(super) is_observing: bool,
    /// The sparse storages of components that have an observer or a hook, or are a side of a relationship or relation.
    pub(crate) observed: ObservedStorages,
    /// Which target lists each source, and pending updates of links.
    pub(crate) links: StoreLinks,
    /// Events that have not been delivered yet.
    pub(crate) pending: Box<LifecycleEvents>,
    /// Reusable memory for events that are not pending.
    pub(super) spare: Option<Box<LifecycleEvents>>,
    /// The number of open scopes that defer the delivery of events.
    pub(super) scope_depth: u32,
    /// The number of open scopes whose "before" events have been delivered.
    pub(super) notified_before: u32,
    /// The deferred panic of a listener that was notified before an operation, while the operation is part of a batch.
    pub(super) panicked: DeferredPanic,
    /// Whether `Store::flush_events` has work: pending events, links to update, or a deferred panic.
    pub(crate) has_pending: bool,
}

/// Rows of a table that entities have left. Values that were not moved are still in them.
pub(super) struct LeftRows<'a, R: Fn(usize) -> usize> {
    pub(super) table: &'a Table,
    pub(super) entities: &'a [Entity],
    /// The row of each entity, by its index in `entities`.
    pub(super) row: R,
    pub(super) fate: ValueFate,
}

impl<D> Events<D> {
    /// Starts or stops recording all transitions.
    pub(super) fn record_all(&mut self, on: bool) {
        self.record_by(|recorder| recorder.list = on.then(Vec::new));
    }

    /// Changes what the recorder records.
    fn record_by(&mut self, change: impl FnOnce(&mut Recorder)) {
        let mut recorder = self.recorded.take().unwrap_or_default();
        change(&mut recorder);
        self.recorded = (!recorder.is_off()).then_some(recorder);
    }

    /// Returns the transitions that have been recorded since the last call.
    pub(crate) fn take_recorded(&mut self) -> Vec<(Entity, Transition)> {
        self.recorded.as_mut().and_then(|recorder| recorder.list.as_mut()).map(core::mem::take).unwrap_or_default()
    }

    /// Starts a journal with room for this number of entries, or resizes the existing one. Returns false if there is no memory for it.
    pub(super) fn begin_journal(&mut self, capacity: usize) -> bool {
        if let Some(journal) = self.journal_mut() {
            return journal.capacity == capacity || journal.set_capacity(capacity);
        }
        let Some(journal) = Journal::new(self.next_journal, capacity) else { return false };
        self.record_by(|recorder| recorder.journal = Some(journal));
        true
    }

    /// Ends the journal. A journal that begins later does not contain the changes in between.
    pub(super) fn end_journal(&mut self) {
        if let Some(journal) = self.journal() {
            self.next_journal = journal.start_of_next();
            self.record_by(|recorder| recorder.journal = None);
        }
    }

    /// Returns the journal, if there is one.
    pub(crate) fn journal(&self) -> Option<&Journal> {
        self.recorded.as_ref()?.journal.as_ref()
    }

    /// Returns the journal mutably, if there is one.
    pub(super) fn journal_mut(&mut self) -> Option<&mut Journal> {
        self.recorded.as_mut()?.journal.as_mut()
    }

    /// Records in the journal that a pair was added or removed.
    #[inline]
    pub(super) fn note_pair(&mut self, [source, target]: [Entity; 2], is_symmetric: bool) {
        if let Some(journal) = self.journal_mut() {
            journal.note_pairs(source);
            if is_symmetric {
                journal.note_pairs(target);
            }
        }
    }

    /// Returns whether a recorder or a journal is active.
    #[inline]
    pub(super) fn is_recording(&self) -> bool {
        self.recorded.is_some()
    }

    /// Returns whether a listener may be notified of every operation, or of removals from one of these sparse storages.
    #[inline]
    pub(super) fn watches(&self, storages: SparseMask) -> bool {
        self.is_recording() || self.removals.watches(storages) || self.observed.all.meets(storages)
    }

    /// Returns whether a listener is notified of additions to this sparse storage.
    #[inline]
    pub(super) fn observes_storage(&self, number: usize) -> bool {
        self.is_recording() || self.observed.all.meets(SparseMask::default().with(number))
    }

    /// Returns whether a listener may be notified of removals from this sparse storage.
    #[inline]
    pub(super) fn watches_storage(&self, number: usize) -> bool {
        self.is_recording() || self.removals.with_watched(self.observed.all).meets(SparseMask::default().with(number))
    }

    /// Returns whether entities that are added to these sparse storages are linked at once, unless observers or hooks are running.
    #[inline]
    pub(super) fn link_at_once(&self, storages: SparseMask) -> bool {
        self.observed.only_linked.meets(storages) && !(self.scope_depth != 0 || self.has_pending || self.is_recording())
    }

    /// Tries to record the despawn of the entity in a row of a table. The entity has no sparse components. This succeeds if it only
    /// requires copying values; otherwise records nothing and returns false. After true the caller must despawn the entity at once, which
    /// cannot fail.
    ///
    /// If there is no memory, records nothing and raises the error.
    ///
    /// # Safety
    ///
    /// - The row is one of the table. After true the caller despawns its entity without using the values of the row.
    #[inline]
    pub(super) unsafe fn record_end(&mut self, table: &Table, row: usize) -> bool {
        if self.is_recording() {
            return false;
        }
        // SAFETY: forwarded.
        unsafe { self.removals.record_row(table, row) }.unwrap_or_else(|error| error.raise())
    }

    /// Returns whether the despawn of an entity of this table, which may be in these sparse storages, is recorded.
    #[inline]
    pub(super) fn records_end(&self, table: &Table, storages: SparseMask) -> bool {
        table.interest().intersects(ListenerMask::REMOVALS.union(ListenerMask::RECORDER))
            || self.removals.watches(storages)
    }

    /// Returns whether any sparse component is observed.
    pub(super) fn observes_storages(&self) -> bool {
        !self.observed.all.is_empty()
    }

    /// Records a new entity.
    pub(super) fn note_made(&mut self, entity: Entity) {
        if let Some(list) = &mut self.recorded {
            list.push((entity, Transition::Made));
        }
    }

    /// Records a transition of an entity.
    pub(super) fn note(&mut self, entity: Entity, transition: Transition, components: &Components) {
        if let Some(list) = &mut self.recorded {
            list.push((entity, transition));
        }
        if self.is_observing
            && let Some((id, kinds)) = transition.observed_after(components)
        {
            // The flag is set first: the event must be delivered even if there is no memory for the notes below.
            self.has_pending = true;
            if kinds.intersects(LifecycleMask::INSERT.of_links()) {
                self.links.note(entity, id, components);
            }
            if !kinds.of_listeners().is_empty() {
                self.pending.add(entity, id, kinds.of_listeners());
            }
        }
    }

    /// Called when an entity is about to lose a component or the value of a component. If the only consequence is that the entity leaves
    /// the list of the target that the component names, records this and returns true. Otherwise records nothing and returns false.
    pub(super) fn note_parting(
        &mut self,
        entity: Entity,
        (id, kinds): (ComponentId, LifecycleMask),
        components: &Components,
    ) -> bool {
        let only_parts = kinds.of_listeners().is_empty() && !self.links.is_moving && components.names_target(id);
        if only_parts {
            self.links.parting.push((id, entity));
            self.has_pending = true;
        }
        only_parts
    }

    /// Recomputes the set of observed components and their sparse storages.
    pub(crate) fn refresh_observed(&mut self, components: &Components) {
        self.observed = ObservedStorages::of(components);
        let is_observed = |id: ComponentId| !components.observed(id).is_empty();
        let is_any_observed = components.iter().any(|info| is_observed(info.id()));
        self.is_observing = is_any_observed || !components.observed_only(None).is_empty();
        if self.is_observing {
            self.pending.reserve_first();
            self.spare.get_or_insert_default().reserve_first();
        }
    }

    /// Returns whether no operation can cause an event, and `has_pending` is false.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        !(self.is_observing | self.has_pending)
    }

    /// Ends a scope that defers the delivery of events. `has_ended` is false if an operation in the scope has panicked.
    pub(super) fn end_scope(&mut self, has_ended: bool, tables: &Tables) {
        self.scope_depth -= 1;
        if !has_ended {
            if self.scope_depth == 0 {
                self.panicked = DeferredPanic::default();
            }
            // The panic already reports that the operation was aborted, so a failure to record its events is not reported as well.
            self.pending.forget_failure();
            self.mark_pending_stale(tables);
        }
    }

    /// Copies the entities of pending batches out of their tables and marks the batches as stale: before a stale batch is delivered,
    /// changes that later operations have undone are removed from it.
    pub(super) fn mark_pending_stale(&mut self, tables: &Tables) {
        self.pending.resolve_all_rows(tables);
        self.pending.mark_stale();
    }

    /// Returns whether the despawn of entities of a table, which may be in these sparse storages, is observed.
    #[inline]
    pub(super) fn observe_end(&self, tables: &Tables, table: TableId, storages: SparseMask) -> bool {
        let in_table = tables.get(table).is_some_and(|table| table.interest().intersects(ListenerMask::OBSERVERS));
        in_table || self.observed.all.meets(storages)
    }

    /// Stores a panic, which is resumed when the operation has ended.
    pub(crate) fn defer_panic(&mut self, mut panicked: DeferredPanic) {
        if panicked.is_some() {
            self.panicked = core::mem::take(&mut self.panicked).or(panicked);
        }
    }

    /// Adds the events of an entity that was changed by a plan with no other work to finish. No destructor runs between this and the
    /// delivery, so no other operation can undo the change: the batch is certain, unless a scope defers it.
    #[inline]
    pub(super) fn add_change(&mut self, entity: Entity, plan: &MovePlan, is_new: bool) {
        if plan.listeners.interest.intersects(ListenerMask::RECORDER) {
            self.record(entity, plan, is_new);
        }
        if !plan.listeners.after.is_empty() {
            self.has_pending = true;
            self.pending.add_one(entity, plan.listeners.after.iter().copied(), self.scope_depth == 0);
        }
    }

    /// Records the changes of the table-stored components of an entity by a plan. `is_new` is true if the plan has spawned the entity.
    #[cold]
    pub(super) fn record(&mut self, entity: Entity, plan: &MovePlan, is_new: bool) {
        if let Some(list) = &mut self.recorded {
            list.extend(is_new.then_some((entity, Transition::Made)));
            list.extend(plan.lost.iter().map(|&(_, id)| (entity, Transition::Lost(id))));
            list.extend(plan.transitions.iter().map(|&transition| (entity, transition)));
        }
    }

    /// Tries to record the despawn of an entity without sparse components. This succeeds if nothing has to be recorded, or only one more
    /// entry in a removal log; otherwise records nothing and returns false. After true the caller must despawn the entity, which cannot
    /// fail.
    #[inline]
    pub(super) fn try_record_end(&mut self, table: &Table, entity: Entity) -> bool {
        let interest = table.interest();
        interest.has_no_end_listener() || interest.ends_in_lists() && self.removals.try_record_entity(table, entity)
    }

    /// Records that a plan has changed entities. `left` are the rows that the entities had before; `now` are the same entities in their
    /// current rows.
    ///
    /// # Safety
    ///
    /// - The columns of the table still have the values of the components that the plan lists as lost, in these rows, unless the fate is
    ///   [`ValueFate::Taken`]. Nothing uses the values afterwards, and the values of the columns in [`RemovalRecord::kept`] are not
    ///   dropped.
    pub(super) unsafe fn rows_changed(
        &mut self,
        plan: &MovePlan,
        left: &LeftRows<'_, impl Fn(usize) -> usize>,
        now: AffectedEntities<'_>,
        told: &mut RemovalRecord,
    ) {
        if plan.listeners.interest.intersects(ListenerMask::REMOVALS) {
            // SAFETY: forwarded: `plan.lost` are components of the table, whose values are in these rows unless they are taken.
            unsafe { self.rows_lost(plan.lost.iter().copied(), left, told) }
        }
        if plan.listeners.interest.intersects(ListenerMask::RECORDER) {
            left.entities.iter().for_each(|&entity| self.record(entity, plan, false));
        }
        self.note_all(now, plan.listeners.after.iter().copied());
    }

    /// Adds changes of entities to the pending events, if observers or hooks may be notified of them.
    pub(super) fn note_all(
        &mut self,
        entities: AffectedEntities<'_>,
        changes: impl IntoIterator<Item = (ComponentId, LifecycleMask)>,
    ) {
        if self.is_observing {
            self.pending.add_all(entities, changes);
            self.has_pending |= !self.pending.is_empty();
        }
    }

    /// # Safety
    ///
    /// - As for [`Events::rows_changed`], for these components of the table.
    unsafe fn rows_lost(
        &mut self,
        lost: impl Iterator<Item = (u32, ComponentId)>,
        left: &LeftRows<'_, impl Fn(usize) -> usize>,
        told: &mut RemovalRecord,
    ) {
        // SAFETY: the columns hold the value of each entity in its row, unless it is taken; the other conditions are forwarded.
        unsafe { self.removals.rows_lost(left.table, lost, left.entities, &left.row, told) }
    }

    /// Records the changes of the sparse components of an entity by a plan. `held` lists the sparse storages with listeners that held the
    /// entity before; `summary` contains the storages that may hold it now.
    pub(super) fn sparse_changed(
        &mut self,
        plan: &MovePlan,
        (entity, fate): (Entity, ValueFate),
        held: &[u32],
        summary: SparseMask,
        (sparse, components): (&mut [SparseStorage], &Components),
        told: &mut RemovalRecord,
    ) {
        for &number in held {
            let storage = &mut sparse[number as usize];
            if !storage.contains(entity.index()) {
                self.sparse_lost(storage, number, entity, components, fate, told);
                self.note_lost(entity, components.sparse()[number as usize], components);
            }
        }
        if !plan.listeners.interest.intersects(ListenerMask::RECORDER.union(ListenerMask::OBSERVERS)) {
            return;
        }
        for number in held_by(entity, summary, sparse) {
            let id = components.sparse()[number];
            let (here, number) =
                (|target: &&ComponentTarget| **target == ComponentTarget::Sparse(number as u32), number as u32);
            if !held.contains(&number) {
                self.note(entity, Transition::Gained(id), components);
            } else if plan.renewed.iter().any(|target| here(&target)) {
                self.note(entity, Transition::Renewed(id), components);
            } else if plan.targets.iter().any(|target| here(&target)) {
                self.note(entity, Transition::Replaced(id), components);
            }
        }
    }

    /// Records that an entity has lost its value in a sparse storage. Unless the fate is `Taken`, the value is still in the storage, or has
    /// just been retired: moved past the end of the storage. If a removal log keeps values, it moves the value out of the storage.
    pub(super) fn sparse_lost(
        &mut self,
        storage: &mut SparseStorage,
        number: u32,
        entity: Entity,
        components: &Components,
        fate: ValueFate,
        told: &mut RemovalRecord,
    ) {
        self.removals.sparse_lost(storage, number as usize, entity, fate, told);
        if let Some(list) = &mut self.recorded {
            list.push((entity, Transition::Lost(components.sparse()[number as usize])));
        }
    }

    /// Records that entities have been despawned or moved to another world, and have lost all components. `outside` lists the entities that
    /// may be in sparse storages, with these storages; their values are still there.
    ///
    /// # Safety
    ///
    /// - As for [`Events::rows_changed`], for all columns of the table.
    pub(super) unsafe fn ended(
        &mut self,
        left: &LeftRows<'_, impl Fn(usize) -> usize>,
        outside: &[(Entity, SparseMask)],
        (sparse, components): (&mut [SparseStorage], &Components),
        told: &mut RemovalRecord,
    ) {
        if left.table.interest().intersects(ListenerMask::REMOVALS) {
            // SAFETY: forwarded, for all columns of the table.
            unsafe { self.rows_lost(left.table.watched_columns(), left, told) }
        }
        if let Some(list) = &mut self.recorded {
            for &entity in left.entities {
                list.extend(left.table.components().iter().map(|&id| (entity, Transition::Lost(id))));
            }
        }
        for &(entity, summary) in outside {
            if self.watches(summary) {
                for number in summary.storages(sparse.len()) {
                    if sparse[number].contains(entity.index()) {
                        self.sparse_lost(&mut sparse[number], number as u32, entity, components, left.fate, told);
                    }
                }
            }
        }
        if let Some(list) = &mut self.recorded {
            list.extend(left.entities.iter().map(|&entity| (entity, Transition::Ended)));
        }
    }

    /// Records that all entities have lost their values in a sparse storage. The storage may be empty afterwards.
    pub(super) fn storage_lost(
        &mut self,
        storage: &mut SparseStorage,
        number: usize,
        entities: &[Entity],
        id: ComponentId,
        told: &mut RemovalRecord,
    ) {
        self.removals.storage_lost(storage, number, entities, told);
        if let Some(list) = &mut self.recorded {
            list.extend(entities.iter().map(|&entity| (entity, Transition::Lost(id))));
        }
    }

    /// Adds the event for a component that a live entity has lost, if observers or hooks are notified of it.
    pub(super) fn note_lost(&mut self, entity: Entity, id: ComponentId, components: &Components) {
        if let Some((id, kinds)) = Transition::Lost(id).observed_after(components) {
            self.pending.add(entity, id, kinds);
            self.has_pending = true;
        }
    }

    /// Ends the recording of an operation.
    #[inline]
    pub(super) fn finish(&mut self, told: &RemovalRecord) -> FinishRemovals<'_> {
        self.removals.finish(told)
    }
}

/// Returns the sparse storages that an entity is in; `summary` contains the storages that it may be in.
pub(super) fn held_by(entity: Entity, summary: SparseMask, sparse: &[SparseStorage]) -> impl Iterator<Item = usize> {
    summary.storages(sparse.len()).filter(move |&number| sparse[number].contains(entity.index()))
}
