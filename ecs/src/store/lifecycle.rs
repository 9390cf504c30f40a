//! Delivering lifecycle events to hooks and observers, before and after an operation.
//!
//! Hooks and observers are user code. They get the store as it is, but cannot change its structure: entities, tables, rows and plans stay
//! the same during a dispatch, and so does what an operation knows of them. The structural changes that they record wait in
//! `Reactions::queue` and are applied by [`Store::react`], the last step of an operation. After it an operation must not rely on anything.
//!
//! [`Store::notify_before`] delivers the events of what is about to end, while all old values are in place. An operation adds the events
//! of what has begun to `Listeners::pending` when it has moved rows, and `react` delivers them. An operation that consists of others
//! defers the events of these until all have ended: [`Store::as_one`].
//!
//! If an operation panics, its events are delivered with those of the next one. If a listener panics before an operation, the panic waits
//! until the operation has ended ([`Store::conclude`]).
//!
//! Tests: `tests/storage/lifecycle.rs`, `tests/storage/listener_panics.rs`, `tests/model`.

use alloc::vec::Vec;

use super::news::{Affected, LifecycleEvents};
use super::report::held_by;
use super::{Home, Store, Structure, take_returned};
use crate::alloc_error::try_reserve_exact;
use crate::archetype::{Archetypes, Planned};
use crate::component::{ComponentId, Kinds};
use crate::entity::{Entity, SparseSummary, TableId};
use crate::graph::Change;
use crate::guard::Waiting;
use crate::table::Table;
use crate::transition::{Interest, Transition};

/// A store during an operation that consists of others.
struct OperationScope<'s> {
    store: &'s mut Store,
    notified_before: bool,
    /// Whether the operation has not panicked.
    has_ended: bool,
}

impl OperationScope<'_> {
    /// Carries out operations and defers their events. `notified_before` says that the events before them have been delivered.
    fn run<T>(store: &mut Store, notified_before: bool, operations: impl FnOnce(&mut Store) -> T) -> T {
        store.listeners.held += 1;
        store.listeners.notified_before += u32::from(notified_before);
        let mut scope = OperationScope { store, notified_before, has_ended: false };
        let out = operations(scope.store);
        scope.has_ended = true;
        out
    }
}

impl Drop for OperationScope<'_> {
    fn drop(&mut self) {
        self.store.listeners.notified_before -= u32::from(self.notified_before);
        self.store.end_whole(self.has_ended);
    }
}

/// A store in which links are changed: if that panics, nothing is known of them.
struct ChangingLinks<'s>(&'s mut Store);

impl Drop for ChangingLinks<'_> {
    fn drop(&mut self) {
        let listeners = &mut self.0.listeners;
        listeners.links.unlinked();
        listeners.links.may_disagree = true;
        listeners.has_news = true;
    }
}

/// Ids that were pending before reactions, which are so again afterwards: in their own world, which may be elsewhere then.
struct Promised<'s> {
    store: &'s mut Store,
    /// None if there are no ids.
    home: Option<Home>,
    pending: Vec<Entity>,
}

impl Drop for Promised<'_> {
    fn drop(&mut self) {
        match &self.home {
            Some(home) if home.is(self.store) => {
                self.pending.append(&mut self.store.structure.pending);
                core::mem::swap(&mut self.pending, &mut self.store.structure.pending);
            }
            Some(home) => home.send_pending(core::mem::take(&mut self.pending)),
            None => {}
        }
    }
}

impl Store {
    /// Recomputes which lifecycle events of components are observed: of each of these, or of all, which an observer has begun or ceased to
    /// watch.
    pub(crate) fn refresh_observed(&mut self, components: impl IntoIterator<Item = Option<ComponentId>>) {
        for id in components {
            self.structure.archetypes.set_heard(id, self.reactions.observed(id));
        }
        self.listeners.refresh_observed(&self.structure.archetypes.components);
    }

    /// Carries out operations as one, whose events are delivered when all have ended.
    pub(crate) fn as_one<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        let out = OperationScope::run(self, false, operations);
        self.react();
        out
    }

    /// [`as_one`](Self::as_one) for operations whose events before the operation have been delivered, so that they are not delivered again.
    pub(super) fn as_foretold<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        let out = OperationScope::run(self, true, operations);
        self.react();
        out
    }

    /// Carries out an operation and defers its events until the caller's [`Store::react`].
    pub(crate) fn without_news<T>(&mut self, operation: impl FnOnce(&mut Self) -> T) -> T {
        OperationScope::run(self, false, operation)
    }

    /// Ends an operation that consists of others, which may have panicked.
    pub(super) fn end_whole(&mut self, has_ended: bool) {
        self.listeners.held -= 1;
        if !has_ended {
            if self.listeners.held == 0 {
                self.listeners.panicked = Waiting::default();
            }
            // The panic shows that the operation has been broken off.
            self.listeners.pending.forget_failure();
            self.mark_pending_stale();
        }
    }

    /// Delivers the events of entities that have just been made, from a row of a table on. Returns these entities: they may be elsewhere
    /// by then.
    #[cold]
    pub(crate) fn tell_of_made(&mut self, table: TableId, first: usize) -> &[Entity] {
        let mut made = Vec::new();
        let entities = self.structure.archetypes.tables.get(table).map_or(&[][..], |table| &table.entities()[first..]);
        let has_room = try_reserve_exact(&mut made, entities.len());
        if has_room.is_ok() {
            made.extend_from_slice(entities);
        }
        self.react();
        has_room.unwrap_or_else(|error| error.raise());
        self.reactions.made = made;
        &self.reactions.made
    }

    /// Ends an operation: delivers the pending events, and applies the commands of hooks and observers.
    #[inline]
    pub(crate) fn react(&mut self) {
        if self.listeners.has_news {
            self.react_now();
        }
    }

    #[inline(never)]
    fn react_now(&mut self) {
        if self.listeners.held != 0 {
            // Scopes that deferred events may have ended while the store was elsewhere.
            take_returned(self);
        }
        if self.listeners.held != 0 || self.reactions.is_running() {
            return;
        }
        self.relink();
        // If a listener panics, the next `react` has still to remove the components of refused links.
        self.listeners.has_news = !self.listeners.links.refused.is_empty();
        if self.relations.have_news() || self.listeners.has_news || self.listeners.panicked.is_some() {
            return self.react_despite_panics();
        }
        self.deliver_pending();
        // A command may exchange the store for another one, so this is the last step.
        self.apply_recorded();
    }

    /// The rest of [`react`](Self::react) if there are events of pairs, links were refused, or a listener has panicked.
    #[cold]
    #[inline(never)]
    fn react_despite_panics(&mut self) {
        let deferred = core::mem::take(&mut self.listeners.panicked);
        // If a listener panics, the values of pairs that have ended are dropped and components that make no link are removed all the same.
        let panicked = Waiting::catch(|| self.deliver_pending());
        let mut panicked = panicked.or(Waiting::catch(|| notify_of_all_pairs(self)));
        if panicked.is_some() {
            self.relink();
            panicked = panicked.or(core::mem::take(&mut self.listeners.panicked));
        }
        panicked.go_on();
        // A command may exchange the store for another one, so this is the last step.
        self.apply_recorded();
        deferred.go_on();
    }

    /// Delivers the pending events.
    #[inline(always)]
    fn deliver_pending(&mut self) {
        if self.listeners.pending.is_empty() {
            return;
        }
        let empty = self.listeners.spare.take().unwrap_or_default();
        let mut events = core::mem::replace(&mut self.listeners.pending, empty);
        if events.is_unsettled() {
            events.retain(|entity, id, kinds| {
                self.structure.entities.contains(entity) && self.structure.has(entity, id) != kinds.has(Kinds::GONE)
            });
            events.merge_batches(&self.structure.entities);
        }
        if let Some(vtable) = self.reactions.vtable.filter(|_| !events.is_empty()) {
            (vtable.dispatch)(self, &events);
        }
        events.raise_failure();
        events.clear();
        self.listeners.spare = Some(events);
    }

    /// Does the part of an operation that drops values. If links end with them a panic waits for [`Store::conclude`]: both sides of these
    /// agree before it goes on.
    #[inline]
    #[must_use]
    pub(super) fn dropping(&mut self, action: impl FnOnce(&mut Self)) -> Waiting {
        if self.listeners.links.are_settled() {
            action(self);
            return Waiting::default();
        }
        Waiting::catch(|| action(self))
    }

    /// Ends an operation whose events before it have been delivered, where a listener may have panicked: as [`Store::react`], and then the
    /// panic goes on. If the operation is part of another one, the panic waits for the end of that.
    pub(super) fn conclude(&mut self, panicked: Waiting) {
        self.react();
        if self.listeners.held == 0 {
            panicked.go_on();
        } else {
            self.listeners.defer_panic(panicked);
        }
    }

    /// Copies the entities of pending batches out of their tables and marks the batches stale: delivery then drops the changes that later
    /// operations have undone.
    pub(super) fn mark_pending_stale(&mut self) {
        let Self { structure: Structure { archetypes, .. }, listeners, .. } = self;
        listeners.pending.resolve_all_rows(&archetypes.tables);
        listeners.pending.mark_stale();
    }

    /// Changes links, or pairs. If that panics, both sides of all of them are compared at the end of the next operation.
    #[inline(always)]
    pub(crate) fn change_links<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let changing = ChangingLinks(self);
        let out = change(changing.0);
        core::mem::forget(changing);
        out
    }

    /// Makes both sides of relationships agree, if there are such components.
    #[inline]
    pub(crate) fn relink(&mut self) {
        let links = &self.listeners.links;
        if !(links.are_settled() && links.refused.is_empty() && !links.may_disagree)
            && let Some(vtable) = self.reactions.vtable
        {
            (vtable.relink)(self);
        }
    }

    /// Applies the commands of hooks and observers, as the last step of an operation: a command may exchange the store for another one.
    #[inline]
    pub(super) fn apply_recorded(&mut self) {
        if self.reactions.has_waiting() || self.structure.entities.needs_flush() {
            self.apply_recorded_now();
        }
    }

    #[cold]
    #[inline(never)]
    fn apply_recorded_now(&mut self) {
        let Some(vtable) = self.reactions.vtable else { return };
        // Ids that were promised to commands which are being applied stay pending.
        let world = self.id;
        let pending = core::mem::take(&mut self.structure.pending);
        let home = (!pending.is_empty()).then(|| Home::new(self));
        let promised = Promised { store: self, home, pending };
        (vtable.apply)(promised.store);
        if promised.store.id == world {
            promised.store.structure.make_reserved_pending();
            promised.store.place_pending();
        }
    }

    /// Delivers the events of what is about to end, which a function collects, unless that has happened already. A panic of a listener
    /// waits for [`Store::conclude`].
    #[must_use]
    pub(super) fn notify_before(&mut self, collect: impl FnOnce(&mut LifecycleEvents, &mut Self)) -> Waiting {
        if self.listeners.notified_before != 0 {
            return Waiting::default();
        }
        let mut events = self.listeners.spare.take().unwrap_or_default();
        collect(&mut events, self);
        events.raise_failure();
        let panicked = if events.is_empty() { Waiting::default() } else { self.dispatch_before(&mut events) };
        events.clear();
        self.listeners.spare = Some(events);
        panicked
    }

    #[cold]
    #[inline(never)]
    fn dispatch_before(&mut self, events: &mut LifecycleEvents) -> Waiting {
        let mut panicked = Waiting::default();
        let Some(vtable) = self.reactions.vtable else { return panicked };
        self.listeners.has_news = true;
        let kinds = events.kinds();
        if kinds.told() != kinds {
            (vtable.unlink)(self, events);
        }
        if kinds.told().is_none() {
            return panicked;
        }
        events.merge_batches(&self.structure.entities);
        let acting = self.structure.entities.acting();
        if self.listeners.held == 0 {
            // Events of an operation that was broken off come first.
            panicked = Waiting::catch(|| self.deliver_pending());
        }
        panicked = panicked.or(Waiting::catch(|| (vtable.dispatch)(self, events)));
        self.structure.entities.act(acting);
        // Reserved ids get rows when the operation has ended.
        self.structure.make_reserved_pending();
        panicked
    }

    /// Delivers the events of what entities of a table are about to lose by a change.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(super) fn notify_before_change(&mut self, affected: Affected<'_>, table: TableId, change: Change) -> Waiting {
        self.notify_before(|events, store| events.add_change(store, affected, table, change))
    }

    /// Carries out an operation that gives an entity another value of a component that it has.
    pub(crate) fn as_replacement<T>(
        &mut self,
        entity: Entity,
        id: ComponentId,
        operation: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let replaced = Transition::Replaced(id);
        let collect = |store: &mut Self, events: &mut LifecycleEvents| {
            if let Some((id, kinds)) = replaced.heard_before(&store.structure.archetypes.components) {
                events.add(entity, id, kinds);
            }
        };
        self.as_one_foreseen(collect, |store| {
            // Also if it panics: the value may be another one then.
            store.listeners.note(entity, replaced, &store.structure.archetypes.components);
            operation(store)
        })
    }

    /// Whether the end of entities of a table, which may be in these sparse storages, is observed.
    #[inline]
    pub(super) fn hears_end(&self, table: TableId, storages: SparseSummary) -> bool {
        let in_table =
            self.structure.archetypes.tables.get(table).is_some_and(|table| table.interest().has(Interest::REACTIONS));
        in_table || self.listeners.heard_storages.meets(storages)
    }

    /// Carries out operations as one, after the events of what they are about to end have been delivered, which a function collects.
    pub(crate) fn as_one_foreseen<T>(
        &mut self,
        collect: impl FnOnce(&mut Self, &mut LifecycleEvents),
        operations: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.listeners.is_quiet() || self.listeners.notified_before != 0 {
            return self.as_one(operations);
        }
        let panicked = self.change_links(|store| store.notify_before(|events, store| collect(store, events)));
        let out = self.as_foretold(operations);
        self.conclude(panicked);
        out
    }
}

/// Notifies the observers of changed pairs, of all relations.
#[inline]
fn notify_of_all_pairs(store: &mut Store) {
    if store.relations.have_news() {
        // A panic waits until all values are dropped: a panic during unwinding would abort the program.
        let mut panicked = Waiting::default();
        for number in 0..store.relations.places.len() {
            panicked = panicked.or(Waiting::catch(|| notify_of_pairs(store, number)));
        }
        panicked.go_on();
    }
}

/// Runs the observers of what has become of pairs of a relation. What they record waits.
#[inline]
pub(super) fn notify_of_pairs(store: &mut Store, number: usize) {
    let place = &store.relations.places[number];
    if place.pairs.has_news() {
        (place.functions.tell)(store);
    }
}

impl LifecycleEvents {
    /// Adds the events of what entities of a table are about to lose by a change.
    pub(super) fn add_change(&mut self, store: &mut Store, affected: Affected<'_>, table: TableId, change: Change) {
        let Store { structure: Structure { archetypes, entities: index, sparse, .. }, listeners, .. } = store;
        let Planned { plan, components, tables } = archetypes.planned(table, change);
        let coming = plan.sparse_targets().filter_map(|number| {
            let id = components.sparse()[number];
            components.heard(id).has(Kinds::COMING).then_some((number, id))
        });
        let mut coming: Vec<(usize, ComponentId)> = coming.collect();
        coming.sort_unstable();
        coming.dedup();
        if coming.is_empty() && !(listeners.hears_storages() && index.has_summaries()) {
            return self.add_all(affected, plan.before().iter().copied());
        }
        for &entity in affected.entities(tables) {
            plan.before().iter().for_each(|&(id, kinds)| self.add(entity, id, kinds));
            let summary = index.sparse_summary(entity.index());
            if listeners.heard_storages.meets(summary) {
                let held = held_by(entity, summary, sparse);
                let fates = held.filter_map(|number| plan.fate_of_sparse(number, components.sparse()[number]));
                let heard = fates.filter_map(|fate| fate.heard_before(components));
                heard.for_each(|(id, kinds)| self.add(entity, id, kinds));
            }
            let missing = coming.iter().filter(|(number, _)| !sparse[*number].contains(entity.index()));
            missing.for_each(|&(_, id)| self.add(entity, id, Kinds::COMING));
        }
    }

    /// Adds the events of the end of entities of a table.
    pub(super) fn add_end(&mut self, store: &mut Store, affected: Affected<'_>, table: TableId) {
        let Store { structure, listeners, .. } = store;
        let Structure { archetypes: Archetypes { tables, components, .. }, entities: index, sparse, .. } = structure;
        let observed = |id: ComponentId| {
            let kinds = components.heard(id).common(Kinds::END.of_all());
            (!kinds.is_none()).then_some((id, kinds))
        };
        let of_each = tables.get(table).map_or(&[][..], Table::components).iter().filter_map(|&id| observed(id));
        if !listeners.hears_storages() || !index.has_summaries() {
            return self.add_all(affected, of_each);
        }
        for &entity in affected.entities(tables) {
            of_each.clone().for_each(|(id, kinds)| self.add(entity, id, kinds));
            let held = held_by(entity, index.sparse_summary(entity.index()), sparse);
            for (id, kinds) in held.filter_map(|number| observed(components.sparse()[number])) {
                if !listeners.note_parting(entity, (id, kinds), components) {
                    self.add(entity, id, kinds);
                }
            }
        }
    }

    /// Events of these kinds of components that are there, or of all components: of these entities, or of all.
    pub(crate) fn of_existing(
        store: &Structure,
        components: &[ComponentId],
        kinds: Kinds,
        entities: &[Entity],
    ) -> Self {
        let mut events = Self::default();
        let Structure { archetypes, entities: index, sparse, .. } = store;
        let is_watched = |id: &ComponentId| components.is_empty() || components.contains(id);
        let of_table = |table: &Table| {
            let watched: Vec<_> = table.components().iter().copied().filter(is_watched).map(|id| (id, kinds)).collect();
            watched
        };
        let is_sparse = |id: &ComponentId| archetypes.components.sparse().contains(id);
        let has_sparse = index.has_summaries() && (components.is_empty() || components.iter().any(is_sparse));
        let mut add = |table: &Table, affected: Affected<'_>| {
            let of_each = of_table(table);
            if !has_sparse {
                return events.add_all(affected, of_each);
            }
            for &entity in affected.entities(&archetypes.tables) {
                of_each.iter().for_each(|&(id, kinds)| events.add(entity, id, kinds));
                let held = held_by(entity, index.sparse_summary(entity.index()), sparse);
                let sparse = held.map(|number| archetypes.components.sparse()[number]).filter(is_watched);
                sparse.for_each(|id| events.add(entity, id, kinds));
            }
        };
        for &entity in entities {
            if let Some(table) = index.get(entity).and_then(|location| archetypes.tables.get(location.table)) {
                add(table, Affected::Listed(&[entity]));
            }
        }
        if entities.is_empty() {
            for table in archetypes.tables.iter() {
                add(table, Affected::Rows { table: table.id(), first: 0, count: table.len() });
            }
        }
        events.raise_failure();
        events.merge_batches(index);
        events
    }
}

impl Affected<'_> {
    /// Calls a function with the store, of which it changes values only, and each of the entities.
    #[inline]
    pub(crate) fn for_each(self, store: &mut Store, mut each: impl FnMut(&mut Store, Entity)) {
        const SOME: usize = 32;
        match self {
            Affected::Listed(entities) => entities.iter().for_each(|&entity| each(store, entity)),
            Affected::Rows { count, .. } => {
                // Several at a time are copied out of the store.
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
