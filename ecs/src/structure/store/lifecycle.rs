//! Delivering lifecycle events to hooks and observers, before and after an operation.
//!
//! Hooks and observers are user code. They get the store as it is, but cannot change its structure: entities, tables, rows and plans do not
//! change during a dispatch, so an operation can rely on them. Structural changes that listeners record are pending in
//! `Dispatch::observer_commands` and are applied by [`Store::flush_events`], the last step of an operation. After this step an operation
//! must not rely on anything that it has read before.
//!
//! [`Store::notify_before`] delivers the events of components and entities that are about to be removed, while all old values are in place.
//! An operation adds the events of its additions to `Events::pending` when it has moved rows, and `flush_events` delivers them. An
//! operation that consists of other operations defers their events until all have ended: [`Store::batched`].
//!
//! | function | before the operation | afterwards | another store may take the place of this one |
//! |---|---|---|---|
//! | [`Store::defer_events`] | | the caller flushes | no |
//! | [`Store::batched`] | | flushes | no |
//! | [`Store::batched_after_notice`] | has been notified by the caller | flushes | no |
//! | [`Store::notify_and_batch`] | notifies | flushes | no |
//! | [`with_deferred_events`] | | flushes | yes |
//!
//! If an operation panics, its events are delivered with those of the next one. If a listener panics before an operation, the panic is
//! deferred until the operation has ended ([`Store::finish_operation`]).
//!
//! Tests: tests/storage/lifecycle.rs, tests/storage/listener_panics.rs, tests/model

use alloc::vec::Vec;
use core::convert::Infallible;

use super::events::held_by;
use super::lifecycle_events::{AffectedEntities, LifecycleEvents};
use super::{Store, Structure, TargetWorld, take_returned};
use crate::component::transition::Transition;
use crate::component::{ComponentId, LifecycleMask};
use crate::entity::{Entity, TableId};
use crate::storage::table::Table;
use crate::structure::archetype::{Archetypes, PlanContext};
use crate::structure::graph::ChangeKey;
use crate::util::alloc_error::try_reserve_exact;
use crate::util::guard::DeferredPanic;

/// A store during an operation that consists of other operations.
struct OperationScope<'s> {
    store: &'s mut Store,
    notified_before: bool,
    /// The world of the operations, if they may put another store in its place.
    target_world: Option<TargetWorld>,
    /// Whether the operation has ended without a panic.
    has_ended: bool,
}

impl OperationScope<'_> {
    /// Carries out operations and defers their events. `notified_before` is true if the "before" events have been delivered.
    fn run<T>(
        store: &mut Store,
        notified_before: bool,
        target_world: Option<TargetWorld>,
        operations: impl FnOnce(&mut Store) -> T,
    ) -> T {
        store.events.scope_depth += 1;
        store.events.notified_before += u32::from(notified_before);
        let mut scope = OperationScope { store, notified_before, target_world, has_ended: false };
        let out = operations(scope.store);
        scope.has_ended = true;
        out
    }
}

impl Drop for OperationScope<'_> {
    fn drop(&mut self) {
        if let Some(target_world) = &self.target_world {
            if !target_world.is(self.store) {
                // The store of the scope was exchanged for another one. It delivers its events with its next operation, or when commands
                // are applied to it.
                return target_world.end_deferral(self.has_ended);
            }
            // Operations of the scope may have undone earlier ones, so the pending events are checked again before delivery.
            self.store.events.pending.mark_stale();
        }
        let Store { structure: Structure { archetypes, .. }, events, .. } = &mut *self.store;
        events.notified_before -= u32::from(self.notified_before);
        events.end_scope(self.has_ended, &archetypes.tables);
    }
}

/// Carries out operations as one, as [`Store::batched`] does. The operations may put another store in the place of this one.
pub(crate) fn with_deferred_events<T>(store: &mut Store, operations: impl FnOnce(&mut Store) -> T) -> T {
    let target_world = Some(TargetWorld::new(store));
    let out = OperationScope::run(store, false, target_world, operations);
    store.flush_events();
    out
}

/// A guard for a store while its links are changed. If the change panics, the guard notes that the links may be inconsistent.
struct ChangingLinks<'s>(&'s mut Store);

impl Drop for ChangingLinks<'_> {
    fn drop(&mut self) {
        let events = &mut self.0.events;
        events.links.unlinked();
        events.links.may_disagree = true;
        events.has_pending = true;
    }
}

/// A guard for the ids that were pending before commands of listeners are applied. When it is dropped, the ids are pending again in their
/// own world, even if another world has taken the place of that world.
struct ReservedIds<'s> {
    store: &'s mut Store,
    /// `None` if there are no ids.
    target_world: Option<TargetWorld>,
    pending: Vec<Entity>,
}

impl Drop for ReservedIds<'_> {
    fn drop(&mut self) {
        match &self.target_world {
            Some(target_world) if target_world.is(self.store) => {
                self.pending.append(&mut self.store.structure.pending);
                core::mem::swap(&mut self.pending, &mut self.store.structure.pending);
            }
            Some(target_world) => target_world.send_pending(core::mem::take(&mut self.pending)),
            None => {}
        }
    }
}

impl Store {
    /// Recomputes the set of observed lifecycle events for these components (`None`: for all). Must be called when an observer has begun or
    /// ceased to watch them.
    pub(crate) fn refresh_observed(&mut self, components: impl IntoIterator<Item = Option<ComponentId>>) {
        for id in components {
            self.structure.archetypes.set_observed(id, self.events.dispatch.observed(id));
        }
        self.events.refresh_observed(&self.structure.archetypes.components);
    }

    /// Carries out operations as one. Their events are delivered when all have ended.
    pub(crate) fn batched<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        let out = OperationScope::run(self, false, None, operations);
        self.flush_events();
        out
    }

    /// Carries out operations as [`batched`](Self::batched) does. Their "before" events have been delivered already, and are not delivered
    /// again.
    pub(super) fn batched_after_notice<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        let out = OperationScope::run(self, true, None, operations);
        self.flush_events();
        out
    }

    /// Carries out an operation and defers its events until the caller's [`Store::flush_events`].
    pub(crate) fn defer_events<T>(&mut self, operation: impl FnOnce(&mut Self) -> T) -> T {
        OperationScope::run(self, false, None, operation)
    }

    /// Delivers the events of entities that have just been spawned, from row `first` of a table on. Returns these entities, which may have
    /// moved by then.
    #[cold]
    pub(crate) fn flush_spawned(&mut self, table: TableId, first: usize) -> &[Entity] {
        let mut made = Vec::new();
        let entities = self.structure.archetypes.tables.get(table).map_or(&[][..], |table| &table.entities()[first..]);
        let has_room = try_reserve_exact(&mut made, entities.len());
        if has_room.is_ok() {
            made.extend_from_slice(entities);
        }
        self.flush_events();
        has_room.unwrap_or_else(|error| error.raise());
        self.events.dispatch.made = made;
        &self.events.dispatch.made
    }

    /// Ends an operation: delivers the pending events, and applies the commands of hooks and observers.
    #[inline]
    pub(crate) fn flush_events(&mut self) {
        if self.events.has_pending {
            flush_pending(self);
        }
    }

    /// Runs the part of an operation that drops values. If updates of links are pending, a panic is caught and returned, so that both sides
    /// of the links can be made to agree before the panic is resumed.
    #[inline]
    #[must_use]
    pub(super) fn dropping(&mut self, action: impl FnOnce(&mut Self)) -> DeferredPanic {
        if self.events.links.are_settled() {
            action(self);
            return DeferredPanic::default();
        }
        DeferredPanic::catch(|| action(self))
    }

    /// Ends an operation during which a panic may have been caught: flushes the events ([`Store::flush_events`]), and then resumes the
    /// panic. If the operation is part of another one, the panic is deferred until the end of that operation.
    pub(super) fn finish_operation(&mut self, mut panicked: DeferredPanic) {
        let Ok(()) = panicked.go_on_if_fails(|| {
            self.flush_events();
            Ok::<_, Infallible>(())
        });
        if self.events.scope_depth == 0 {
            panicked.go_on();
        } else {
            self.events.defer_panic(panicked);
        }
    }

    /// Changes links or pairs. If `change` panics, both sides of all links and pairs are compared at the end of the next operation.
    #[inline]
    pub(crate) fn change_links<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let changing = ChangingLinks(self);
        let out = change(changing.0);
        core::mem::forget(changing);
        out
    }

    /// Makes both sides of relationships agree, if updates of links are pending or the two sides may disagree.
    #[inline]
    pub(crate) fn relink(&mut self) {
        let links = &self.events.links;
        if !(links.are_settled() && links.refused.is_empty() && !links.may_disagree)
            && let Some(vtable) = self.events.dispatch.vtable
        {
            (vtable.relink)(self);
        }
    }

    /// Collects the "before" events of an operation with `collect` and delivers them, unless they have been delivered already. Returns the
    /// panic of a listener, for [`Store::finish_operation`].
    #[must_use]
    pub(super) fn notify_before(&mut self, collect: impl FnOnce(&mut LifecycleEvents, &mut Self)) -> DeferredPanic {
        if self.events.notified_before != 0 {
            return DeferredPanic::default();
        }
        let mut events = self.events.spare.take().unwrap_or_default();
        collect(&mut events, self);
        events.raise_failure();
        let panicked = if events.is_empty() { DeferredPanic::default() } else { dispatch_before(self, &mut events) };
        events.clear();
        self.events.spare = Some(events);
        panicked
    }

    /// Delivers the events of components that entities of a table are about to lose by a change.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn notify_before_change(
        &mut self,
        affected: AffectedEntities<'_>,
        table: TableId,
        change: ChangeKey,
    ) -> DeferredPanic {
        self.notify_before(|events, store| events.add_change(store, affected, table, change))
    }

    /// Carries out an operation that gives an entity another value of a component that it has.
    pub(crate) fn batched_replacement<T>(
        &mut self,
        entity: Entity,
        id: ComponentId,
        operation: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let replaced = Transition::Replaced(id);
        let collect = |store: &mut Self, events: &mut LifecycleEvents| {
            if let Some((id, kinds)) = replaced.observed_before(&store.structure.archetypes.components) {
                events.add(entity, id, kinds);
            }
        };
        self.notify_and_batch(collect, |store| {
            // The change is noted before the operation, because the value may have changed even if the operation panics.
            store.events.note(entity, replaced, &store.structure.archetypes.components);
            operation(store)
        })
    }

    /// Collects the "before" events of operations with `collect`, delivers them, and then carries out the operations as one.
    pub(crate) fn notify_and_batch<T>(
        &mut self,
        collect: impl FnOnce(&mut Self, &mut LifecycleEvents),
        operations: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.events.is_quiet() || self.events.notified_before != 0 {
            return self.batched(operations);
        }
        let panicked = self.change_links(|store| store.notify_before(|events, store| collect(store, events)));
        let out = self.batched_after_notice(operations);
        self.finish_operation(panicked);
        out
    }
}

/// Does the work of [`Store::flush_events`], if there may be something to do.
#[inline(never)]
fn flush_pending(store: &mut Store) {
    if store.events.scope_depth != 0 {
        // Scopes that deferred events may have ended while the store was exchanged for another one. `take_returned` counts their ends.
        take_returned(store);
    }
    if store.events.scope_depth != 0 || store.events.dispatch.is_running() {
        return;
    }
    store.relink();
    // If a listener panics, the next flush still has to remove the components that cannot make a link.
    store.events.has_pending = !store.events.links.refused.is_empty();
    if store.relations.have_events() || store.events.has_pending || store.events.panicked.is_some() {
        return flush_despite_panics(store);
    }
    deliver_pending(store);
    // A command may exchange the store for another one, so this is the last step.
    apply_listener_commands(store);
}

/// Does the rest of [`flush_pending`], if there are events of pairs, components that cannot make a link, or a deferred panic of a listener.
#[cold]
#[inline(never)]
fn flush_despite_panics(store: &mut Store) {
    let deferred = core::mem::take(&mut store.events.panicked);
    // If a listener panics, the values of removed pairs are still dropped, and components that cannot make a link are still removed.
    let panicked = DeferredPanic::catch(|| deliver_pending(store));
    let mut panicked = panicked.or(DeferredPanic::catch(|| notify_of_all_pairs(store)));
    if panicked.is_some() {
        store.relink();
        return deferred.or(panicked).or(core::mem::take(&mut store.events.panicked)).go_on();
    }
    // A command may exchange the store for another one, so this is the last step.
    apply_listener_commands(store);
    deferred.go_on();
}

/// Delivers the pending events.
#[inline]
fn deliver_pending(store: &mut Store) {
    if store.events.pending.is_empty() {
        return;
    }
    let empty = store.events.spare.take().unwrap_or_default();
    let mut events = core::mem::replace(&mut store.events.pending, empty);
    if events.is_unsettled() {
        events.retain(|entity, id, kinds| {
            store.structure.entities.contains(entity)
                && store.structure.has(entity, id) != kinds.intersects(LifecycleMask::GONE)
        });
        events.merge_batches(&store.structure.entities);
    }
    if let Some(vtable) = store.events.dispatch.vtable.filter(|_| !events.is_empty()) {
        (vtable.dispatch)(store, &events);
    }
    events.raise_failure();
    events.clear();
    store.events.spare = Some(events);
}

/// Applies the commands of hooks and observers, as the last step of an operation: a command may exchange the store for another one.
#[inline]
pub(super) fn apply_listener_commands(store: &mut Store) {
    if store.events.dispatch.has_observer_commands() || store.structure.entities.needs_flush() {
        apply_listener_commands_now(store);
    }
}

#[cold]
#[inline(never)]
fn apply_listener_commands_now(store: &mut Store) {
    let Some(vtable) = store.events.dispatch.vtable else { return };
    // Pending ids of commands in progress are put aside, so that they stay pending.
    let world = store.id;
    let pending = core::mem::take(&mut store.structure.pending);
    let target_world = (!pending.is_empty()).then(|| TargetWorld::new(store));
    let promised = ReservedIds { store, target_world, pending };
    (vtable.apply)(promised.store);
    if promised.store.id == world {
        promised.store.structure.make_reserved_pending();
        promised.store.place_pending();
    }
}

/// Delivers events before an operation. Returns the first panic of a listener.
#[cold]
#[inline(never)]
fn dispatch_before(store: &mut Store, events: &mut LifecycleEvents) -> DeferredPanic {
    let mut panicked = DeferredPanic::default();
    let Some(vtable) = store.events.dispatch.vtable else { return panicked };
    store.events.has_pending = true;
    let kinds = events.kinds();
    if kinds.of_listeners() != kinds {
        (vtable.unlink)(store, events);
    }
    if kinds.of_listeners().is_empty() {
        return panicked;
    }
    events.merge_batches(&store.structure.entities);
    let caller = store.structure.entities.caller();
    if store.events.scope_depth == 0 {
        // The pending events of an operation that was aborted by a panic are delivered first.
        panicked = DeferredPanic::catch(|| deliver_pending(store));
    }
    panicked = panicked.or(DeferredPanic::catch(|| (vtable.dispatch)(store, events)));
    store.structure.entities.set_caller(caller);
    // Ids that listeners have reserved become pending. They get rows when the operation has ended.
    store.structure.make_reserved_pending();
    panicked
}

/// Notifies the observers of changed pairs of all relations.
#[inline]
fn notify_of_all_pairs(store: &mut Store) {
    if store.relations.have_events() {
        // Panics are deferred until all values are dropped: a panic during unwinding would abort the program.
        let mut panicked = DeferredPanic::default();
        for number in 0..store.relations.places.len() {
            panicked = panicked.or(DeferredPanic::catch(|| notify_of_pairs(store, number)));
        }
        panicked.go_on();
    }
}

/// Notifies the observers of changed pairs of a relation. The commands that they record stay pending.
#[inline]
pub(super) fn notify_of_pairs(store: &mut Store, number: usize) {
    let place = &store.relations.places[number];
    if place.pairs.has_pending() {
        (place.functions.notify)(store);
    }
}

impl LifecycleEvents {
    /// Adds the events of components that entities of a table are about to lose by a change.
    pub(super) fn add_change(
        &mut self,
        store: &mut Store,
        affected: AffectedEntities<'_>,
        table: TableId,
        change: ChangeKey,
    ) {
        let Store { structure: Structure { archetypes, entities: index, sparse, .. }, events, .. } = store;
        let PlanContext { plan, components, tables } = archetypes.planned(table, change);
        let coming = plan.sparse_targets().filter_map(|number| {
            let id = components.sparse()[number];
            components.observed(id).intersects(LifecycleMask::COMING).then_some((number, id))
        });
        let mut coming: Vec<(usize, ComponentId)> = coming.collect();
        coming.sort_unstable();
        coming.dedup();
        if coming.is_empty() && !(events.observes_storages() && index.has_summaries()) {
            return self.add_all(affected, plan.listeners.before.iter().copied());
        }
        for &entity in affected.entities(tables) {
            plan.listeners.before.iter().for_each(|&(id, kinds)| self.add(entity, id, kinds));
            let summary = index.sparse_summary(entity.index());
            if events.observed.all.meets(summary) {
                let held = held_by(entity, summary, sparse);
                let fates = held.filter_map(|number| plan.fate_of_sparse(number, components.sparse()[number]));
                let heard = fates.filter_map(|fate| fate.observed_before(components));
                heard.for_each(|(id, kinds)| self.add(entity, id, kinds));
            }
            let missing = coming.iter().filter(|(number, _)| !sparse[*number].contains(entity.index()));
            missing.for_each(|&(_, id)| self.add(entity, id, LifecycleMask::COMING));
        }
    }

    /// Adds the events of the despawn of entities of a table.
    pub(super) fn add_end(&mut self, store: &mut Store, affected: AffectedEntities<'_>, table: TableId) {
        let Store { structure, events, .. } = store;
        let components = &structure.archetypes.components;
        let observed = |id: ComponentId| components.observed(id).intersection(LifecycleMask::END.of_all());
        let has_sparse = events.observes_storages() && structure.entities.has_summaries();
        let mut unlists = |entity, id, kinds| events.note_parting(entity, (id, kinds), components);
        self.add_components(structure, (affected, table), has_sparse, observed, &mut unlists);
    }

    /// Adds events of the components of entities of a table. `kinds_of` returns the kinds of events for a component. Sparse components are
    /// included only if `has_sparse` is true, and only those for which `is_handled` returns false.
    fn add_components(
        &mut self,
        Structure { archetypes: Archetypes { tables, components, .. }, entities: index, sparse, .. }: &Structure,
        (affected, table): (AffectedEntities<'_>, TableId),
        has_sparse: bool,
        kinds_of: impl Fn(ComponentId) -> LifecycleMask,
        is_handled: &mut dyn FnMut(Entity, ComponentId, LifecycleMask) -> bool,
    ) {
        let with_kinds = |id: ComponentId| Some((id, kinds_of(id))).filter(|(_, kinds)| !kinds.is_empty());
        let of_each = tables.get(table).map_or(&[][..], Table::components).iter().filter_map(|&id| with_kinds(id));
        if !has_sparse {
            return self.add_all(affected, of_each);
        }
        for &entity in affected.entities(tables) {
            of_each.clone().for_each(|(id, kinds)| self.add(entity, id, kinds));
            let held = held_by(entity, index.sparse_summary(entity.index()), sparse);
            for (id, kinds) in held.filter_map(|number| with_kinds(components.sparse()[number])) {
                if !is_handled(entity, id, kinds) {
                    self.add(entity, id, kinds);
                }
            }
        }
    }

    /// Returns events of these kinds for existing components. An empty list of components or entities selects all.
    pub(crate) fn of_existing(
        store: &Structure,
        components: &[ComponentId],
        kinds: LifecycleMask,
        entities: &[Entity],
    ) -> Self {
        let mut events = Self::default();
        let Structure { archetypes, entities: index, .. } = store;
        let is_watched = |id: &ComponentId| components.is_empty() || components.contains(id);
        let has_sparse = index.has_summaries() && archetypes.components.sparse().iter().any(is_watched);
        let mut add = |affected: AffectedEntities<'_>, table| {
            let kinds_of = |id| kinds.only_if(is_watched(&id));
            events.add_components(store, (affected, table), has_sparse, kinds_of, &mut |_, _, _| false);
        };
        for entity in entities {
            if let Some(location) = index.get(*entity) {
                add(AffectedEntities::Listed(core::slice::from_ref(entity)), location.table);
            }
        }
        if entities.is_empty() {
            for table in archetypes.tables.iter() {
                add(AffectedEntities::Rows { table: table.id(), first: 0, count: table.len() }, table.id());
            }
        }
        events.raise_failure();
        events.merge_batches(index);
        events
    }
}

impl AffectedEntities<'_> {
    /// Calls a function with the store and each of the entities. The function may change values, but not the structure of the store.
    #[inline]
    pub(crate) fn for_each(self, store: &mut Store, mut each: impl FnMut(&mut Store, Entity)) {
        const SOME: usize = 32;
        match self {
            AffectedEntities::Listed(entities) => entities.iter().for_each(|&entity| each(store, entity)),
            AffectedEntities::Rows { count, .. } => {
                // `each` borrows the store mutably, so several entities at a time are copied out of it.
                let mut some = [Entity::PLACEHOLDER; SOME];
                for first in (0..count).step_by(SOME) {
                    let entities = self.entities(&store.structure.archetypes.tables).get(first..).unwrap_or_default();
                    let taken = entities.len().min(SOME);
                    some[..taken].copy_from_slice(&entities[..taken]);
                    some[..taken].iter().for_each(|&entity| each(store, entity));
                }
            }
        }
    }
}
