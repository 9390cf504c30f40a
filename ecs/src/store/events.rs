//! Recording what an operation has changed: in lists of removals, in the recorder and the journal, and as pending events. Spawns are in
//! `record`.
//!
//! An operation prepares ([`Events::prepare`], which may fail), moves rows, and then reports here what has become of them, before it drops
//! anything. No user code runs in between. Values that were left behind are past the end of their table; a list of removals that keeps one
//! names its column in [`RemovalRecord::kept`]. Where [`Interest`] says that there is no listener, nothing of this is called.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::lifecycle_events::{Affected, LifecycleEvents};
use super::links::Links;
use crate::component::{ComponentId, Components, Kinds};
use crate::entity::{Entity, SparseSummary, TableId};
use crate::graph::{MovePlan, Target};
use crate::guard::DeferredPanic;
use crate::journal::{Journal, JournalStart, Recorder};
use crate::removal::{Fate, Finish, RemovalRecord, Removals};
use crate::sparse::SparseStorage;
use crate::table::{Table, Tables};
use crate::tracking::Spawns;
use crate::transition::{Interest, Transition};

/// What happens to entities: the listeners of operations, and the lifecycle events that wait for delivery.
#[derive(Default)]
pub(crate) struct Events<D> {
    pub(crate) removals: Removals,
    /// When entities were spawned, once a query has asked for it.
    pub(crate) spawns: Option<Spawns>,
    /// What is recorded of transitions, if anything is.
    pub(super) recorded: Option<Box<Recorder>>,
    /// Where a journal would begin, while there is none.
    next_journal: JournalStart,
    /// The observers, and the state of a dispatch to observers and hooks: a `Dispatch`, which names the store.
    pub(crate) dispatch: D,
    /// Whether a component has an observer or a hook, or is a side of a relationship or relation.
    pub(super) is_observing: bool,
    /// The sparse storages of such components.
    pub(super) observed_storages: SparseSummary,
    /// Those of these without `unobserved_links`: a removal from them may notify user code.
    pub(super) notified_storages: SparseSummary,
    /// The storages of components that name targets and have no listeners, while no list of sources has a listener either.
    pub(super) unobserved_links: SparseSummary,
    /// The storages of components that list sources.
    pub(crate) lists: SparseSummary,
    /// The storages of components that name targets.
    pub(crate) sources: SparseSummary,
    /// The storages of components with observers or hooks, or of pairs: entities in them do not end by `end_linked`.
    pub(super) observed_ends: SparseSummary,
    /// `observed_storages`, or all storages while a recorder or a journal is active.
    noted_storages: SparseSummary,
    /// Which source is listed by which target.
    pub(crate) links: Links,
    /// Events that have not been delivered yet.
    pub(crate) pending: Box<LifecycleEvents>,
    /// Memory for other events.
    pub(super) spare: Option<Box<LifecycleEvents>>,
    /// The number of open scopes that defer the delivery of events.
    pub(super) scope_depth: u32,
    /// How many of these scopes have delivered the events before their operation.
    pub(super) notified_before: u32,
    /// The panic of a listener before a part of the operations that are carried out as one.
    pub(super) panicked: DeferredPanic,
    /// Whether `Store::flush_events` has work: pending events, links to update, or a deferred panic.
    pub(crate) has_pending: bool,
}

/// Rows of a table that entities have left, with their values as far as they were not moved.
pub(super) struct LeftRows<'a, R: Fn(usize) -> usize> {
    pub(super) table: &'a Table,
    pub(super) entities: &'a [Entity],
    /// By the number of an entity among these: its row.
    pub(super) row: R,
    pub(super) fate: Fate,
}

impl<D> Events<D> {
    /// Begins or ends to record all transitions.
    pub(super) fn record_all(&mut self, on: bool) {
        self.record_by(|recorder| recorder.list = on.then(Vec::new));
    }

    /// Changes what is recorded.
    fn record_by(&mut self, change: impl FnOnce(&mut Recorder)) {
        let mut recorder = self.recorded.take().unwrap_or_default();
        change(&mut recorder);
        self.recorded = (!recorder.is_off()).then_some(recorder);
        self.set_observed_storages(self.observed_storages);
    }

    /// What has been recorded since this was last called.
    pub(crate) fn take_recorded(&mut self) -> Vec<(Entity, Transition)> {
        self.recorded.as_mut().and_then(|recorder| recorder.list.as_mut()).map(core::mem::take).unwrap_or_default()
    }

    /// Begins a journal with room for so many entries, or gives the one that there is this room. False if there is no memory for it.
    pub(super) fn begin_journal(&mut self, capacity: usize) -> bool {
        if let Some(journal) = self.journal_mut() {
            return journal.capacity() == capacity || journal.set_capacity(capacity);
        }
        let Some(journal) = Journal::new(self.next_journal, capacity) else { return false };
        self.record_by(|recorder| recorder.journal = Some(journal));
        true
    }

    /// Ends the journal: what happens from now on is unknown to one that begins later.
    pub(super) fn end_journal(&mut self) {
        if let Some(journal) = self.journal() {
            self.next_journal = journal.start_of_next();
            self.record_by(|recorder| recorder.journal = None);
        }
    }

    /// The journal, if there is one.
    pub(crate) fn journal(&self) -> Option<&Journal> {
        self.recorded.as_ref()?.journal.as_ref()
    }

    /// The journal, if there is one.
    pub(super) fn journal_mut(&mut self) -> Option<&mut Journal> {
        self.recorded.as_mut()?.journal.as_mut()
    }

    /// Notes in the journal that a pair has come or gone.
    #[inline]
    pub(super) fn note_pair(&mut self, [source, target]: [Entity; 2], is_symmetric: bool) {
        if let Some(journal) = self.journal_mut() {
            journal.note_pairs(source);
            if is_symmetric {
                journal.note_pairs(target);
            }
        }
    }

    /// Whether a recorder or a journal is active.
    #[inline]
    pub(super) fn is_recording(&self) -> bool {
        self.recorded.is_some()
    }

    /// Whether a listener may be told of everything, or of removals from one of these sparse storages.
    #[inline]
    pub(super) fn watches(&self, storages: SparseSummary) -> bool {
        self.is_recording() || self.removals.watches(storages) || self.observed_storages.meets(storages)
    }

    /// Whether a listener is told of what comes to this sparse storage.
    #[inline]
    pub(super) fn observes_storage(&self, number: usize) -> bool {
        self.noted_storages.meets(SparseSummary::default().with(number))
    }

    /// Whether a listener may be told of what leaves this sparse storage.
    #[inline]
    pub(super) fn watches_storage(&self, number: usize) -> bool {
        self.removals.with_watched(self.noted_storages).meets(SparseSummary::default().with(number))
    }

    /// Whether a component that comes to one of these sparse storages is linked at once, unless observers or hooks are running.
    #[inline]
    pub(super) fn link_at_once(&self, storages: SparseSummary) -> bool {
        self.unobserved_links.meets(storages) && !(self.scope_depth != 0 || self.has_pending || self.is_recording())
    }

    /// Records that the entity in a row of a table ends, which has no other components, if that takes no more than to copy values.
    /// Otherwise nothing is recorded, and this says false. The caller ends the entity at once, which cannot fail.
    ///
    /// If there is no memory nothing has been recorded, and it raises that.
    ///
    /// # Safety
    ///
    /// - The row is one of the table. After true the caller ends its entity without using the values of the row.
    #[inline]
    pub(super) unsafe fn record_end(&mut self, table: &Table, row: usize) -> bool {
        if self.is_recording() {
            return false;
        }
        // SAFETY: forwarded.
        unsafe { self.removals.record_row(table, row) }.unwrap_or_else(|error| error.raise())
    }

    /// Whether it is recorded that an entity of a table ends, which may be in these sparse storages.
    #[inline]
    pub(super) fn records_end(&self, table: &Table, storages: SparseSummary) -> bool {
        table.interest().intersects(Interest::REMOVALS.union(Interest::RECORDER)) || self.removals.watches(storages)
    }

    /// Says of which sparse storages observers or hooks are told.
    pub(super) fn set_observed_storages(&mut self, storages: SparseSummary) {
        self.observed_storages = storages;
        self.noted_storages = if self.is_recording() { SparseSummary::ALL } else { storages };
    }

    /// Whether a listener is told of what comes to some sparse storage.
    pub(super) fn observes_storages(&self) -> bool {
        !self.observed_storages.is_empty()
    }

    /// Notes that an entity is new.
    pub(super) fn note_made(&mut self, entity: Entity) {
        if let Some(list) = &mut self.recorded {
            list.push((entity, Transition::Made));
        }
    }

    /// Notes what has come to an entity.
    pub(super) fn note(&mut self, entity: Entity, transition: Transition, components: &Components) {
        if let Some(list) = &mut self.recorded {
            list.push((entity, transition));
        }
        if self.is_observing
            && let Some((id, kinds)) = transition.observed_after(components)
        {
            // First, as nothing may be forgotten if there is no memory for what follows.
            self.has_pending = true;
            if kinds.intersects(Kinds::INSERT.of_links()) {
                self.links.note(entity, id, components);
            }
            if !kinds.of_listeners().is_empty() {
                self.pending.add(entity, id, kinds.of_listeners());
            }
        }
    }

    /// Notes that an entity is about to lose a component, or its value, if nothing has to be done about it but to take the entity off
    /// the list of the target that the component names. Otherwise nothing happens, and this says false.
    pub(super) fn note_parting(
        &mut self,
        entity: Entity,
        (id, kinds): (ComponentId, Kinds),
        components: &Components,
    ) -> bool {
        let only_parts = kinds.of_listeners().is_empty() && !self.links.is_moving && components.names_target(id);
        if only_parts {
            self.links.parting.push((id, entity));
            self.has_pending = true;
        }
        only_parts
    }

    /// Recomputes which components are observed, and in which sparse storages they are.
    pub(crate) fn refresh_observed(&mut self, components: &Components) {
        let storages_of = |holds: &dyn Fn(ComponentId) -> bool| {
            let held = components.sparse().iter().enumerate().filter(|(_, id)| holds(**id));
            held.fold(SparseSummary::default(), |all, (number, _)| all.with(number))
        };
        let is_observed = |id: ComponentId| !components.observed(id).is_empty();
        let has_listeners = |id: ComponentId| !components.observed(id).of_listeners().is_empty();
        // The end of a source ends nothing else, but may change the list of its target, which may be observed.
        let lists_observed =
            components.sparse().iter().any(|&id| is_observed(id) && components.lists_sources(id) && has_listeners(id));
        let may_notify = |id| lists_observed || !components.names_target(id) || has_listeners(id);
        let told = storages_of(&|id| is_observed(id) && may_notify(id));
        self.notified_storages = told;
        self.lists = storages_of(&|id| is_observed(id) && components.lists_sources(id));
        self.sources = storages_of(&|id| is_observed(id) && components.names_target(id));
        self.observed_ends = storages_of(&|id| is_observed(id) && (has_listeners(id) || components.is_of_pairs(id)));
        self.unobserved_links = self.sources.except(told);
        self.set_observed_storages(storages_of(&is_observed));
        let is_any_observed = components.iter().any(|info| is_observed(info.id()));
        self.is_observing = is_any_observed || !components.observed_only(None).is_empty();
        if self.is_observing {
            self.pending.reserve_first();
            self.spare.get_or_insert_default().reserve_first();
        }
    }

    /// Whether no operation has an event to deliver, whatever it does.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        !(self.is_observing | self.has_pending)
    }

    /// Ends a scope that defers the delivery of events, in which an operation may have panicked.
    pub(super) fn end_scope(&mut self, has_ended: bool, tables: &Tables) {
        self.scope_depth -= 1;
        if !has_ended {
            if self.scope_depth == 0 {
                self.panicked = DeferredPanic::default();
            }
            // The panic shows that the operation has been broken off.
            self.pending.forget_failure();
            self.mark_pending_stale(tables);
        }
    }

    /// Copies the entities of pending batches out of their tables and marks the batches stale: delivery then drops the changes that later
    /// operations have undone.
    pub(super) fn mark_pending_stale(&mut self, tables: &Tables) {
        self.pending.resolve_all_rows(tables);
        self.pending.mark_stale();
    }

    /// Whether the end of entities of a table, which may be in these sparse storages, is observed.
    #[inline]
    pub(super) fn observe_end(&self, tables: &Tables, table: TableId, storages: SparseSummary) -> bool {
        let in_table = tables.get(table).is_some_and(|table| table.interest().intersects(Interest::OBSERVERS));
        in_table || self.observed_storages.meets(storages)
    }

    /// Has a panic go on when the operation has ended.
    pub(crate) fn defer_panic(&mut self, mut panicked: DeferredPanic) {
        if panicked.is_some() {
            self.panicked = core::mem::take(&mut self.panicked).or(panicked);
        }
    }

    /// Adds the events of a changed entity, for plans with no other work to finish. No destructor runs between this and the delivery, so no other
    /// operation can undo the change: the batch is certain, unless a scope defers it.
    #[inline]
    pub(super) fn add_change(&mut self, entity: Entity, plan: &MovePlan, is_new: bool) {
        if plan.interest().intersects(Interest::RECORDER) {
            self.record(entity, plan, is_new);
        }
        if !plan.after().is_empty() {
            self.has_pending = true;
            self.pending.add_one(entity, plan.after().iter().copied(), self.scope_depth == 0);
        }
    }

    /// Records what has become of an entity by a plan that only tells, which may be new.
    #[cold]
    pub(super) fn record(&mut self, entity: Entity, plan: &MovePlan, is_new: bool) {
        if let Some(list) = &mut self.recorded {
            list.extend(is_new.then_some((entity, Transition::Made)));
            list.extend(plan.lost.iter().map(|&(_, id)| (entity, Transition::Lost(id))));
            list.extend(plan.transitions.iter().map(|&transition| (entity, transition)));
        }
    }

    /// Records the end of an entity without sparse components, if that takes nothing, or one more entry in a list of removals. Otherwise
    /// records nothing and returns false. After true the caller must end the entity, which cannot fail.
    #[inline]
    pub(super) fn try_record_end(&mut self, table: &Table, entity: Entity) -> bool {
        let interest = table.interest();
        interest.has_no_end_listener() || interest.ends_in_lists() && self.removals.try_record_entity(table, entity)
    }

    /// The rows of entities have been changed as a plan says. `now` are the same, where they are now.
    ///
    /// # Safety
    ///
    /// - The columns of the table still have the values of the components that the plan says are lost, in these rows, unless
    ///   their fate is to be taken. Nothing uses them afterwards, and those of the columns in [`RemovalRecord::kept`] are not dropped.
    pub(super) unsafe fn rows_changed(
        &mut self,
        plan: &MovePlan,
        left: &LeftRows<'_, impl Fn(usize) -> usize>,
        now: Affected<'_>,
        told: &mut RemovalRecord,
    ) {
        if plan.interest().intersects(Interest::REMOVALS) {
            // SAFETY: the caller's promise.
            unsafe { self.rows_lost(plan.lost.iter().copied(), left, told) }
        }
        if plan.interest().intersects(Interest::RECORDER) {
            left.entities.iter().for_each(|&entity| self.record(entity, plan, false));
        }
        self.note_all(now, plan.after().iter().copied());
    }

    /// Notes what has come to entities, as far as observers or hooks are told.
    pub(super) fn note_all(&mut self, entities: Affected<'_>, changes: impl IntoIterator<Item = (ComponentId, Kinds)>) {
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
        // SAFETY: the columns hold the value of each entity in its row, if they are dropped; the rest is the caller's promise.
        unsafe { self.removals.rows_lost(left.table, lost, left.entities, &left.row, told) }
    }

    /// An entity has been changed as a plan says, beside its table. `held` are the sparse storages that it was in before, as
    /// far as a listener is told of them, `summary` says where it may be now.
    pub(super) fn sparse_changed(
        &mut self,
        plan: &MovePlan,
        (entity, fate): (Entity, Fate),
        held: &[u32],
        summary: SparseSummary,
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
        if !plan.interest().intersects(Interest::RECORDER.union(Interest::OBSERVERS)) {
            return;
        }
        for number in held_by(entity, summary, sparse) {
            let id = components.sparse()[number];
            let (here, number) = (|target: &&Target| **target == Target::Sparse(number as u32), number as u32);
            if !held.contains(&number) {
                self.note(entity, Transition::Gained(id), components);
            } else if plan.renewed.iter().any(|target| here(&target)) {
                self.note(entity, Transition::Renewed(id), components);
            } else if plan.targets.iter().any(|target| here(&target)) {
                self.note(entity, Transition::Replaced(id), components);
            }
        }
    }

    /// An entity has lost the value that it had in a sparse storage: it is still there, or has just been retired, unless it is
    /// taken. If a list wants it, the storage has forgotten it then.
    pub(super) fn sparse_lost(
        &mut self,
        storage: &mut SparseStorage,
        number: u32,
        entity: Entity,
        components: &Components,
        fate: Fate,
        told: &mut RemovalRecord,
    ) {
        self.removals.sparse_lost(storage, number as usize, entity, fate, told);
        if let Some(list) = &mut self.recorded {
            list.push((entity, Transition::Lost(components.sparse()[number as usize])));
        }
    }

    /// Entities are no more, or in another world: they have lost all that they had. `outside` says which of them may be in
    /// which sparse storages, and still is.
    ///
    /// # Safety
    ///
    /// - As for [`Events::rows_changed`], for all columns of the table.
    pub(super) unsafe fn ended(
        &mut self,
        left: &LeftRows<'_, impl Fn(usize) -> usize>,
        outside: &[(Entity, SparseSummary)],
        (sparse, components): (&mut [SparseStorage], &Components),
        told: &mut RemovalRecord,
    ) {
        if left.table.interest().intersects(Interest::REMOVALS) {
            // SAFETY: the caller's promise.
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

    /// All entities have lost what they had in a sparse storage. It may be empty afterwards.
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

    /// Notes what an entity has lost that is still there, as far as observers or hooks are told.
    pub(super) fn note_lost(&mut self, entity: Entity, id: ComponentId, components: &Components) {
        if let Some((id, kinds)) = Transition::Lost(id).observed_after(components) {
            self.pending.add(entity, id, kinds);
            self.has_pending = true;
        }
    }

    /// The end of an operation that has told something.
    #[inline]
    pub(super) fn finish(&mut self, told: &RemovalRecord) -> Finish<'_> {
        self.removals.finish(told)
    }
}

/// The sparse storages that an entity is in; `summary` says where it may be.
pub(super) fn held_by(entity: Entity, summary: SparseSummary, sparse: &[SparseStorage]) -> impl Iterator<Item = usize> {
    summary.storages(sparse.len()).filter(move |&number| sparse[number].contains(entity.index()))
}
