//! The observers of one type of event in a store.
//!
//! Tests: ecs/src/events/observer/tests.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{Any, type_name};

use hashbrown::HashMap;

use super::id::ObserverId;
use super::input::{EventRows, ObserverInput};
use super::matched::MatchFilter;
use super::on::TriggerOf;
use super::rare::{RareOptions, report};
use super::watching::{WatchIndex, watched};
use crate::component::{ComponentId, LifecycleMask};
use crate::entity::{Entities, Entity, EntityHashSet};
use crate::events::event::{Event, EventPattern, Trigger};
use crate::storage::table::Tables;
use crate::structure::store::{AffectedEntities, EventBatch, EventObservers, LifecycleEvents, RemovedObservers, Store};
use crate::system::commands::defer_world_commands;
use crate::system::{NotifySystem, Outcome, StateVisitor, SystemCore, SystemFacts, SystemMeta};
use crate::util::alloc_error::{try_shrink, try_shrink_map};
use crate::util::trace;

/// An observer of events of one type. It is a system.
pub(super) trait Observe<E: Event>: SystemCore {
    /// Runs the observer with an event.
    fn observe(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, id: ObserverId, store: &mut Store) -> Outcome;

    /// Runs the observer with the events of some rows. Stops after an error. Returns the index of the next row.
    fn observe_rows(&mut self, rows: EventRows<'_, E>, store: &mut Store) -> (usize, Outcome);
}

impl<E, I, S> Observe<E> for S
where
    E: Event,
    I: ObserverInput<Pattern: EventPattern<Event = E>>,
    S: NotifySystem<In = I>,
{
    #[inline]
    fn observe(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, id: ObserverId, store: &mut Store) -> Outcome {
        I::observe(self, event, trigger, id, store)
    }

    fn observe_rows(&mut self, rows: EventRows<'_, E>, store: &mut Store) -> (usize, Outcome) {
        I::observe_rows(self, rows, store)
    }
}

/// An observer with run conditions or with its own error handler.
pub(super) struct RareObserver<E: Event> {
    pub(super) observer: Box<dyn Observe<E>>,
    pub(super) rare: RareOptions,
}

impl<E: Event> SystemCore for RareObserver<E> {
    fn facts(&self) -> SystemFacts<'_> {
        SystemFacts { conditions: &self.rare.conditions, ..self.observer.facts() }
    }

    fn meta_mut(&mut self) -> Option<&mut Arc<SystemMeta>> {
        self.observer.meta_mut()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.observer.rows(store)
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        self.observer.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        self.observer.prepare(store);
        self.rare.conditions.iter_mut().for_each(|condition| condition.prepare(store));
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.observer.apply_deferred(store);
    }
}

impl<E: Event> Observe<E> for RareObserver<E> {
    fn observe(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, id: ObserverId, store: &mut Store) -> Outcome {
        let Self { observer, rare } = self;
        if rare.conditions_hold(observer.facts().name, type_name::<E>(), store)
            && let Err(not_done) = observer.observe(event, trigger, id, store)
        {
            report(not_done, rare.handler, type_name::<E>(), store);
        }
        Ok(())
    }

    fn observe_rows(&mut self, mut rows: EventRows<'_, E>, store: &mut Store) -> (usize, Outcome) {
        let Self { observer, rare } = self;
        // The conditions are evaluated before each call, so an observer that is not called for whole batches gets one row.
        if !rare.is_batch {
            rows.rows.end = rows.rows.start + 1;
        }
        if !rare.conditions_hold(observer.facts().name, type_name::<E>(), store) {
            return (rows.rows.end, Ok(()));
        }
        let (next, observed) = observer.observe_rows(rows, store);
        if let Err(not_done) = observed {
            report(not_done, rare.handler, type_name::<E>(), store);
        }
        (next, Ok(()))
    }
}

/// The entities, components and filter that an observer watches.
#[derive(Default)]
pub(super) struct WatchedEvents {
    /// The entities whose events the observer is notified of. If empty, it is notified of the events of all entities.
    pub(super) entities: Vec<Entity>,
    /// The components whose events the observer is notified of. If empty, it is notified of the events of all
    /// components.
    pub(super) components: Vec<ComponentId>,
    /// The filter, if the observer watches which entities begin or stop matching a filter.
    pub(super) filter: Option<MatchFilter>,
}

/// An observer in the list.
pub(super) struct ListedObserver<E: Event> {
    /// The system; `None` if the observer has been removed.
    observer: Option<Box<dyn Observe<E>>>,
    id: ObserverId,
    /// The type name of the observer's event pattern.
    #[cfg(feature = "trace")]
    pattern: &'static str,
}

/// The observers of one type of event.
pub(super) struct Observers<E: Event> {
    /// The observers in the order in which they were added.
    list: Vec<ListedObserver<E>>,
    index: ObserverIndex,
    /// The metadata of the system that was added last. If the next system has the same function, it shares the
    /// metadata.
    meta: Option<Arc<SystemMeta>>,
    /// If this number of entities is watched, dead ones are searched for and removed.
    crowded: usize,
    /// The state that the trigger of the event keeps.
    pub(super) state: <TriggerOf<E> as Trigger<E>>::State,
}

/// Finds the observers in a list. It does not depend on the type of the event, so its code is compiled once.
#[derive(Default)]
struct ObserverIndex {
    /// For each place in the list: what the observer watches. It is stored in a separate vector, because most
    /// dispatches do not read it.
    watched: Vec<WatchedEvents>,
    /// Maps entities and components to the places of their observers.
    watching: WatchIndex,
    /// The place of each observer, by its id.
    places: HashMap<usize, u32>,
    /// The observers that are notified by a dispatch of lifecycle events.
    notified: Vec<NotifiedObserver>,
}

/// An observer that is notified of lifecycle events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NotifiedObserver {
    place: u32,
    /// The index of a batch and the index of an entity in it. `None` for all entities of all batches.
    entity: Option<(u32, u32)>,
}

impl ObserverIndex {
    /// Adds what the observer at the next place in the list watches.
    fn push(&mut self, id: ObserverId, watched: WatchedEvents, entities: &Entities) {
        let place = self.watched.len() as u32;
        self.places.insert(id.0, place);
        self.watching.enter(place, &watched.components, &watched.entities, entities);
        self.watched.push(watched);
    }

    /// Removes the observer with an id. Returns its place in the list and what it watched.
    fn remove(&mut self, number: usize, is_occupied: &dyn Fn(u32) -> bool) -> Option<(usize, WatchedEvents)> {
        let place = self.places.remove(&number)?;
        let was = core::mem::take(&mut self.watched[place as usize]);
        self.watching.leave(place, &was.components, &was.entities, is_occupied);
        Some((place as usize, was))
    }

    /// Returns those of the components that no observer watches any more.
    fn unwatched(&self, before: impl IntoIterator<Item = Option<ComponentId>>) -> Vec<Option<ComponentId>> {
        before.into_iter().filter(|&component| !self.watching.watches(component)).collect()
    }

    /// Removes despawned entities. Returns the places of the observers that have no entities left, or `None` if no
    /// watched entity has been despawned.
    fn forget_dead(&mut self, entities: &Entities) -> Option<Vec<usize>> {
        let mut all = self.watched.iter().flat_map(|watched| &watched.entities);
        if all.all(|&entity| entities.contains(entity)) {
            return None;
        }
        let mut ended = Vec::new();
        for (place, watched) in self.watched.iter_mut().enumerate() {
            let watches_all = watched.entities.is_empty();
            watched.entities.retain(|&entity| entities.contains(entity));
            if !watches_all && watched.entities.is_empty() {
                ended.push(place);
            }
        }
        Some(ended)
    }

    /// Rebuilds the index without the empty places in the list. `ids` are the ids of the remaining observers.
    fn close_gaps(&mut self, is_empty: &[bool], ids: &[ObserverId], entities: &Entities) {
        self.watching.clear();
        self.places.clear();
        let watched = core::mem::take(&mut self.watched);
        let kept = watched.into_iter().zip(is_empty).filter(|(_, is_empty)| !**is_empty);
        for (&id, (watched, _)) in ids.iter().zip(kept) {
            self.push(id, watched, entities);
        }
    }

    /// Finds the observers of lifecycle events, in the order in which they were added.
    fn find_notified(&mut self, events: &LifecycleEvents, kinds: LifecycleMask, tables: &Tables) {
        let Self { watching, notified, .. } = self;
        notified.clear();
        let mut seen: Vec<ComponentId> = Vec::new();
        for id in events.batches(kinds).flat_map(|batch| batch.components()) {
            if !events.is_single() {
                if seen.contains(&id) {
                    continue;
                }
                seen.push(id);
            }
            notified.extend(watching.of_component(id).iter().map(|&place| NotifiedObserver { place, entity: None }));
        }
        if watching.entities() != 0 {
            for (number, batch) in events.batches(kinds).enumerate() {
                for (nth, &entity) in batch.affected.entities(tables).iter().enumerate() {
                    let entry = Some((number as u32, nth as u32));
                    let places = watching.of_entity(entity).iter();
                    notified.extend(places.map(|&place| NotifiedObserver { place, entity: entry }));
                }
            }
        }
        if notified.len() > 1 {
            notified.sort_unstable();
            notified.dedup();
        }
    }

    fn shrink_to_fit(&mut self) {
        try_shrink(&mut self.watched);
        try_shrink(&mut self.notified);
        try_shrink_map(&mut self.places);
        self.watching.shrink_to_fit();
    }
}

/// Below this number of watched entities, dead ones are not searched for. Below this number of observers, empty places
/// are not removed.
const FEW: usize = 64;

impl<E: Event> Observers<E> {
    pub(super) fn new() -> Self {
        Self { list: Vec::new(), index: ObserverIndex::default(), meta: None, crowded: FEW, state: Default::default() }
    }

    /// Makes an observer that is about to be added share its metadata with the observer that was added last, if both
    /// have the same function.
    pub(super) fn share_meta(&mut self, observer: &mut dyn SystemCore) {
        self.meta = observer.meta_mut().map(|meta| {
            if let Some(other) = &self.meta {
                SystemMeta::share(meta, other);
            }
            Arc::clone(meta)
        });
    }

    /// Adds an observer. May remove observers whose entities have all been despawned.
    pub(super) fn add(
        &mut self,
        new: ListedObserver<E>,
        mut watched: WatchedEvents,
        entities: &Entities,
    ) -> RemovedObservers {
        let mut removed = RemovedObservers::default();
        // Duplicates are removed, because the index expects each entity and component once.
        let mut met = EntityHashSet::default();
        watched.entities.retain(|&entity| met.insert(entity));
        let mut met = Vec::new();
        watched.components.retain(|&id| {
            !met.contains(&id) && {
                met.push(id);
                true
            }
        });
        if self.index.watching.entities() >= self.crowded {
            self.forget_dead(entities, &mut removed);
            self.crowded = FEW.max(2 * self.index.watching.entities());
        }
        // The memory is reserved first: if the allocation fails, the index and the list stay consistent.
        self.list.reserve(1);
        self.index.push(new.id, watched, entities);
        self.list.push(new);
        removed
    }

    /// Removes the empty places of the list.
    fn close_gaps(&mut self, entities: &Entities) {
        let (mut is_empty, mut ids) = (Vec::new(), Vec::new());
        for listed in &self.list {
            is_empty.push(listed.observer.is_none());
            if listed.observer.is_some() {
                ids.push(listed.id);
            }
        }
        self.list.retain(|listed| listed.observer.is_some());
        self.index.close_gaps(&is_empty, &ids, entities);
    }

    /// Notifies the observers of an event: the observers of all events, and then the observers of its target, if the
    /// target is alive.
    #[inline(always)]
    pub(super) fn notify_of_event(
        &mut self,
        target: Option<Entity>,
        event: &mut E,
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let Self { list, index: ObserverIndex { watching, .. }, .. } = self;
        let of_target = target.map_or(&[][..], |target| watching.of_entity(target));
        // A single observer is notified without a loop, because a loop would need more registers.
        let place = match (watching.of_all(), of_target) {
            (&[place], []) => place,
            ([], &[place]) if target.is_some_and(|target| store.structure.entities.contains(target)) => place,
            ([], []) => return,
            _ => return self.notify_several(target, event, trigger, store),
        };
        list[place as usize].notify(event, trigger, store);
    }

    #[inline(never)]
    fn notify_several(&mut self, target: Option<Entity>, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
        let Self { list, index: ObserverIndex { watching, .. }, .. } = self;
        for &place in watching.of_all() {
            list[place as usize].notify(event, trigger, store);
        }
        if let Some(target) = target.filter(|&target| store.structure.entities.contains(target)) {
            for &place in watching.of_entity(target) {
                list[place as usize].notify(event, trigger, store);
            }
        }
    }

    /// Notifies observers of lifecycle events in the general case: several components or batches are affected, or
    /// observers watch single entities.
    #[inline(never)]
    fn notify_of_several(
        &mut self,
        events: &LifecycleEvents,
        kinds: LifecycleMask,
        only: Option<usize>,
        store: &mut Store,
    ) {
        let Self { list, index, state, .. } = self;
        let Some(trigger) = TriggerOf::<E>::of_operation(state) else { return };
        index.find_notified(events, kinds, &store.structure.archetypes.tables);
        for &NotifiedObserver { place, entity } in &index.notified {
            let (listed, watched) = (&mut list[place as usize], &index.watched[place as usize]);
            if only.is_none_or(|only| only == listed.id.0) {
                listed.notify_of_batches(watched, events.batches(kinds), entity, trigger, store);
            }
        }
    }

    /// Iterates over all observers in order. Each item has the name, whether there are conditions, and what the
    /// observer watches.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, bool, &WatchedEvents)> {
        let all = self.list.iter().zip(&self.index.watched);
        all.filter_map(|(listed, watched)| {
            let facts = listed.observer.as_ref()?.facts();
            Some((facts.name, !facts.conditions.is_empty(), watched))
        })
    }
}

impl<E: Event> ListedObserver<E> {
    /// Creates the entry of an observer, with the type name of its event pattern.
    pub(super) fn new(observer: Box<dyn Observe<E>>, id: ObserverId, pattern: &'static str) -> Self {
        let _ = pattern;
        Self {
            observer: Some(observer),
            id,
            #[cfg(feature = "trace")]
            pattern,
        }
    }

    /// Removes the system of the observer and returns it. The caller must drop it after all other work.
    fn take(&mut self) -> Option<Box<dyn Any + Send + Sync>> {
        Some(Box::new(self.observer.take()?))
    }

    /// Begins the tracing span of the observer, if spans are enabled.
    #[inline(always)]
    fn enter(&self) -> trace::SpanGuard {
        #[cfg(feature = "trace")]
        return trace::observer(self.observer.as_ref().map_or("", |observer| observer.facts().name), self.pattern);
        #[cfg(not(feature = "trace"))]
        trace::observer("", "")
    }

    /// Runs the observer with an event.
    #[inline(always)]
    fn notify(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
        let _span = self.enter();
        if let Some(observer) = &mut self.observer
            && let Err(not_done) = observer.observe(event, trigger, self.id, store)
        {
            report(not_done, None, type_name::<E>(), store);
        }
    }

    /// Notifies the observer of the events that it watches: of all batches, or of one entity.
    fn notify_of_batches<'e>(
        &mut self,
        watched: &WatchedEvents,
        batches: impl Iterator<Item = EventBatch<'e>>,
        only: Option<(u32, u32)>,
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let (from, count) = only.map_or((0, usize::MAX), |(batch, _)| (batch as usize, 1));
        for batch in batches.skip(from).take(count) {
            let is_watched = |id: &ComponentId| watched.components.is_empty() || watched.components.contains(id);
            let about: Vec<ComponentId> = batch.components().filter(is_watched).collect();
            if !about.is_empty() {
                let affected =
                    only.map_or(batch.affected, |(_, nth)| batch.affected.some(nth as usize..nth as usize + 1));
                self.notify_of_batch(watched, (batch, affected), &about, trigger, store);
            }
        }
    }

    /// Notifies the observer of the events of a batch, or of some entities of the batch, for these components.
    #[inline(never)]
    fn notify_of_batch(
        &mut self,
        watched: &WatchedEvents,
        (batch, affected): (EventBatch<'_>, AffectedEntities<'_>),
        about: &[ComponentId],
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let mut notify =
            |affected: AffectedEntities<'_>, store: &mut Store| self.notify_of_rows(affected, about, trigger, store);
        match &watched.filter {
            Some(filter) => filter.for_each_turned(batch, affected, store, notify),
            None => notify(affected, store),
        }
    }

    /// Runs the observer with the events of several entities for these components.
    fn notify_of_rows(
        &mut self,
        affected: AffectedEntities<'_>,
        components: &[ComponentId],
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let (_span, id) = (self.enter(), self.id);
        let Some(observer) = &mut self.observer else { return };
        let (mut next, count) = (0, affected.len());
        while next < count {
            let rows = EventRows { affected, rows: next..count, components, trigger, observer: id };
            let observed;
            (next, observed) = observer.observe_rows(rows, store);
            defer_world_commands(store);
            if let Err(not_done) = observed {
                report(not_done, None, type_name::<E>(), store);
            }
        }
    }
}

impl<E: Event> EventObservers<Store> for Observers<E> {
    fn notify(&mut self, events: &LifecycleEvents, kinds: LifecycleMask, only: Option<usize>, store: &mut Store) {
        if const { E::MOMENT.is_none() } {
            return;
        }
        let Self { list, index, state, .. } = self;
        let Some(trigger) = TriggerOf::<E>::of_operation(state) else { return };
        let single = if index.watching.entities() == 0 && only.is_none() { events.single(kinds) } else { None };
        let Some((batch, component)) = single else { return self.notify_of_several(events, kinds, only, store) };
        let (about, entity) =
            (core::slice::from_ref(&component), batch.affected.sole(&store.structure.archetypes.tables));
        for &place in index.watching.of_component(component) {
            let (listed, watched) = (&mut list[place as usize], &index.watched[place as usize]);
            if let (None, Some(entity)) = (&watched.filter, entity) {
                trigger.set_components(about);
                listed.notify(&mut E::of_operation(entity), trigger, store);
            } else {
                listed.notify_of_batch(watched, (batch, batch.affected), about, trigger, store);
            }
        }
    }

    fn remove(&mut self, number: usize, entities: &Entities) -> Option<RemovedObservers> {
        let list = &self.list;
        // The removed observer is still in the list, so it is excluded by its id.
        let is_occupied = |place: u32| {
            let listed = &list[place as usize];
            listed.observer.is_some() && listed.id.0 != number
        };
        let (place, was) = self.index.remove(number, &is_occupied)?;
        let observer = self.list[place].take();
        if self.list.len() >= FEW && self.index.places.len() < self.list.len() / 2 {
            self.close_gaps(entities);
        }
        let mut removed = RemovedObservers { numbers: alloc::vec![number], ..RemovedObservers::default() };
        removed.unwatched = self.index.unwatched(watched(&was.components));
        removed.observers.extend(observer);
        Some(removed)
    }

    fn shrink_to_fit(&mut self, entities: &Entities) {
        if self.index.places.len() != self.list.len() {
            self.close_gaps(entities);
        }
        try_shrink(&mut self.list);
        self.index.shrink_to_fit();
        self.crowded = FEW.max(2 * self.index.watching.entities());
        if self.list.is_empty() {
            self.meta = None;
        }
    }

    fn watch_entities(&self) -> bool {
        self.index.watching.entities() != 0
    }

    fn watches(&self, component: Option<ComponentId>) -> bool {
        self.index.watching.watches(component)
    }

    fn forget_dead(&mut self, entities: &Entities, removed: &mut RemovedObservers) {
        let Some(ended) = self.index.forget_dead(entities) else { return };
        let before: Vec<_> = self.index.watching.watched().collect();
        for place in ended {
            let listed = &mut self.list[place];
            removed.numbers.push(listed.id.0);
            removed.observers.extend(listed.take());
        }
        self.close_gaps(entities);
        removed.unwatched.extend(self.index.unwatched(before));
    }
}

/// Downcasts to the observers of events of type `E`.
#[inline]
pub(super) fn typed<E: Event>(observers: &mut dyn EventObservers<Store>) -> Option<&mut Observers<E>> {
    (observers as &mut dyn Any).downcast_mut()
}
