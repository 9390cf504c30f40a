//! The observers of one type of event, as a store keeps them.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{Any, type_name};
use core::ops::Range;

use hashbrown::HashMap;

use super::id::ObserverId;
use super::input::ObserverInput;
use super::matched::MatchFilter;
use super::on::TriggerOf;
use super::rare::{Rare, conditions_hold, report};
use super::watching::{General, NO_OBSERVER, Sole, TO_BE_FOUND, Watching, watched};
use crate::alloc_error::{try_shrink, try_shrink_map};
use crate::command::defer_direct;
use crate::component::{ComponentId, Kinds};
use crate::entity::{Entities, Entity, EntityHashSet};
use crate::event::{EntityComponentsTrigger, Event, EventPattern, LifecycleEvent, Moment, Trigger};
use crate::store::{Affected, EventObservers, NewsView, RemovedObservers, Store};
use crate::system::{NotifySystem, Outcome, SystemCore, SystemMeta};
use crate::trace;

/// An observer of events of one type: a system.
pub(super) trait Observe<E: Event>: SystemCore {
    /// Runs it with an event.
    fn observe(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, id: ObserverId, store: &mut Store) -> Outcome;

    /// Runs it with the events of some of several entities, which are about these components. Ends early after an error. Returns which
    /// entity is the next.
    fn observe_rows(
        &mut self,
        some: (Affected<'_>, Range<usize>),
        components: &[ComponentId],
        trigger: &mut TriggerOf<E>,
        id: ObserverId,
        store: &mut Store,
    ) -> (usize, Outcome);
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

    fn observe_rows(
        &mut self,
        some: (Affected<'_>, Range<usize>),
        components: &[ComponentId],
        trigger: &mut TriggerOf<E>,
        id: ObserverId,
        store: &mut Store,
    ) -> (usize, Outcome) {
        I::observe_rows(self, some, components, trigger, id, store)
    }
}

/// What an observer watches.
#[derive(Default)]
pub(super) struct Watched {
    /// The entities whose events it is told of; those of all if there are none.
    pub(super) entities: Vec<Entity>,
    /// The components that the events are about; any, if there are none.
    pub(super) components: Vec<ComponentId>,
    /// What entities begin or end to match.
    pub(super) filter: Option<MatchFilter>,
}

/// An observer in the list. It is in one of the fields, or removed.
struct Listed<E: Event> {
    observer: Option<Box<dyn Observe<E>>>,
    /// One with conditions, or a handler of its own.
    rare: Option<Box<RareObserver<E>>>,
    id: ObserverId,
    /// The name of what it observes.
    #[cfg(feature = "trace")]
    pattern: &'static str,
}

struct RareObserver<E: Event> {
    observer: Box<dyn Observe<E>>,
    rare: Rare,
}

/// An observer that is about to be added.
pub(super) struct NewObserver<E: Event> {
    pub(super) observer: Box<dyn Observe<E>>,
    pub(super) rare: Option<Box<Rare>>,
    pub(super) id: ObserverId,
    /// The name of what it observes.
    pub(super) pattern: &'static str,
}

/// The observers of one type of event.
pub(super) struct Observers<E: Event> {
    /// In the order in which they were added.
    list: Vec<Listed<E>>,
    index: ObserverIndex,
    /// What the system that was added last knows of itself: the next one may know the same.
    meta: Option<Arc<SystemMeta>>,
    /// With how many entities the dead ones are looked for.
    crowded: usize,
    /// What the trigger remembers.
    pub(super) state: <TriggerOf<E> as Trigger<E>>::State,
    /// What observers are given with events of the life of components.
    of_life: EntityComponentsTrigger,
}

/// Finds the observers of a list. It does not depend on the type of the event: its code is compiled once.
#[derive(Default)]
struct ObserverIndex {
    /// What each observer watches. Apart from the list: an event only needs those that it is told to.
    watched: Vec<Watched>,
    /// Which observers are told of what.
    watching: Watching,
    /// The place of each observer, by its number.
    places: HashMap<usize, u32>,
}

impl ObserverIndex {
    /// Enters what the observer at the next place watches.
    fn push(&mut self, id: ObserverId, watched: Watched, entities: &Entities) {
        let place = self.watched.len() as u32;
        self.places.insert(id.0, place);
        self.watching.enter(place, &watched.components, &watched.entities, entities);
        self.watched.push(watched);
    }

    /// Removes the observer with a number. Returns its place and what it watched.
    fn remove(&mut self, number: usize, is_occupied: &dyn Fn(u32) -> bool) -> Option<(usize, Watched)> {
        let place = self.places.remove(&number)?;
        let was = core::mem::take(&mut self.watched[place as usize]);
        self.watching.leave(place, &was.components, &was.entities, is_occupied);
        Some((place as usize, was))
    }

    /// The components among those that no observer watches any more.
    fn unwatched(&self, before: impl IntoIterator<Item = Option<ComponentId>>) -> Vec<Option<ComponentId>> {
        before.into_iter().filter(|&component| !self.watching.watches(component)).collect()
    }

    /// Forgets entities that have ended. Returns the places of the observers that watched no others; nothing if no entity has ended.
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

    /// Enters all anew, without the places that are empty. `ids` are those of the others.
    fn close_gaps(&mut self, is_empty: &[bool], ids: &[ObserverId], entities: &Entities) {
        self.watching.clear();
        self.places.clear();
        let watched = core::mem::take(&mut self.watched);
        let kept = watched.into_iter().zip(is_empty).filter(|(_, is_empty)| !**is_empty);
        for (&id, (watched, _)) in ids.iter().zip(kept) {
            self.push(id, watched, entities);
        }
    }

    fn shrink_to_fit(&mut self) {
        try_shrink(&mut self.watched);
        try_shrink_map(&mut self.places);
        self.watching.shrink_to_fit();
    }
}

/// Fewer entities are not searched for dead ones, and fewer empty places are left.
const FEW: usize = 64;

impl<E: Event> Observers<E> {
    pub(super) fn new() -> Self {
        Self {
            list: Vec::new(),
            index: ObserverIndex::default(),
            meta: None,
            crowded: FEW,
            state: Default::default(),
            of_life: EntityComponentsTrigger::default(),
        }
    }

    /// Has an observer that is about to be added share memory with the last one, if they are of one function.
    pub(super) fn share_meta(&mut self, observer: &mut dyn SystemCore) {
        self.meta = observer.meta_mut().map(|meta| {
            if let Some(other) = &self.meta {
                SystemMeta::share(meta, other);
            }
            Arc::clone(meta)
        });
    }

    /// Adds an observer. Others may be removed, which watched only entities that have ended.
    pub(super) fn add(&mut self, new: NewObserver<E>, mut watched: Watched, entities: &Entities) -> RemovedObservers {
        let mut removed = RemovedObservers::default();
        // Each is watched once, and left once.
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
        // The index is of this list.
        self.list.reserve(1);
        self.index.push(new.id, watched, entities);
        self.list.push(Listed::new(new));
        removed
    }

    /// Closes the gaps in the list.
    fn close_gaps(&mut self, entities: &Entities) {
        let (mut is_empty, mut ids) = (Vec::new(), Vec::new());
        for listed in &self.list {
            is_empty.push(listed.is_removed());
            if !listed.is_removed() {
                ids.push(listed.id);
            }
        }
        self.list.retain(|listed| !listed.is_removed());
        self.index.close_gaps(&is_empty, &ids, entities);
    }

    /// Tells observers of an event: those that watch all, and then those of this entity, which is alive.
    #[inline(always)]
    pub(super) fn tell(
        &mut self,
        target: Option<Entity>,
        event: &mut E,
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let Self { list, index: ObserverIndex { watching, .. }, .. } = self;
        // Mostly it is one observer. A loop would need registers of its own.
        let place = match (watching.general(), target) {
            (General::Sole(place), _) => place,
            (General::None, None) => return,
            (General::None, Some(target)) => match watching.sole_of_entity(target) {
                Sole::At(place) if store.entities.contains(target) => place,
                Sole::At(_) => return,
                Sole::Perhaps => return self.tell_several(Some(target), event, trigger, store),
            },
            (General::Several, _) => return self.tell_several(target, event, trigger, store),
        };
        list[place as usize].notify(event, trigger, store);
    }

    #[inline(never)]
    fn tell_several(&mut self, target: Option<Entity>, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
        let Self { list, index: ObserverIndex { watching, .. }, .. } = self;
        for &place in watching.of_all() {
            list[place as usize].notify(event, trigger, store);
        }
        if let Some(target) = target
            && let places @ [_, ..] = watching.of_entity(target)
            && store.entities.contains(target)
        {
            for &place in places {
                list[place as usize].notify(event, trigger, store);
            }
        }
    }

    /// The names of all observers, in order; whether they have conditions; and what they watch.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, bool, &Watched)> {
        let all = self.list.iter().zip(&self.index.watched);
        all.filter_map(|(listed, watched)| {
            let (observer, rare) = listed.get()?;
            let (name, has_conditions) = (observer.facts().name, rare.is_some_and(Rare::has_conditions));
            Some((name, has_conditions, watched))
        })
    }
}

impl<E: Event> Listed<E> {
    fn new(NewObserver { observer, rare, id, pattern }: NewObserver<E>) -> Self {
        let _ = pattern;
        let (observer, rare) = match rare {
            Some(rare) => (None, Some(Box::new(RareObserver { observer, rare: *rare }))),
            None => (Some(observer), None),
        };
        Self {
            observer,
            rare,
            id,
            #[cfg(feature = "trace")]
            pattern,
        }
    }

    fn is_removed(&self) -> bool {
        self.observer.is_none() && self.rare.is_none()
    }

    fn get(&self) -> Option<(&dyn Observe<E>, Option<&Rare>)> {
        match (&self.observer, &self.rare) {
            (Some(observer), _) => Some((&**observer, None)),
            (None, Some(rare)) => Some((&*rare.observer, Some(&rare.rare))),
            (None, None) => None,
        }
    }

    fn get_mut(&mut self) -> Option<(&mut dyn Observe<E>, Option<&mut Rare>)> {
        match (&mut self.observer, &mut self.rare) {
            (Some(observer), _) => Some((&mut **observer, None)),
            (None, Some(rare)) => Some((&mut *rare.observer, Some(&mut rare.rare))),
            (None, None) => None,
        }
    }

    /// Removes the observer. It is to be dropped when all else is done.
    fn take(&mut self) -> Option<Box<dyn Any + Send + Sync>> {
        match (self.observer.take(), self.rare.take()) {
            (Some(observer), _) => Some(Box::new(observer)),
            (None, Some(rare)) => Some(rare),
            (None, None) => None,
        }
    }

    /// Begins the span of the observer, if there are spans.
    #[inline(always)]
    fn enter(&self) -> trace::Entered {
        #[cfg(feature = "trace")]
        return trace::observer(self.get().map_or("", |(observer, _)| observer.facts().name), self.pattern);
        #[cfg(not(feature = "trace"))]
        trace::observer("", "")
    }

    /// Runs the observer with an event.
    #[inline(always)]
    fn notify(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
        match &mut self.observer {
            Some(observer) if !cfg!(feature = "trace") => {
                if let Err(not_done) = observer.observe(event, trigger, self.id, store) {
                    report(not_done, None, type_name::<E>(), store);
                }
            }
            _ => self.notify_if_conditions_hold(event, trigger, store),
        }
    }

    #[cold]
    #[inline(never)]
    fn notify_if_conditions_hold(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, store: &mut Store) {
        let (_span, id) = (self.enter(), self.id);
        let Some((observer, mut rare)) = self.get_mut() else { return };
        if conditions_hold(&mut rare, observer, type_name::<E>(), store)
            && let Err(not_done) = observer.observe(event, trigger, id, store)
        {
            report(not_done, rare, type_name::<E>(), store);
        }
    }

    /// Runs the observer with the events of several entities, which are about these components.
    fn notify_rows(
        &mut self,
        affected: Affected<'_>,
        components: &[ComponentId],
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let (_span, id) = (self.enter(), self.id);
        let Some((observer, mut rare)) = self.get_mut() else { return };
        let (mut next, count) = (0, affected.len());
        while next < count {
            // The conditions are evaluated before each call.
            let end = rare.as_ref().map_or(count, |rare| if rare.is_batch { count } else { next + 1 });
            if !conditions_hold(&mut rare, observer, type_name::<E>(), store) {
                next = end;
                continue;
            }
            let (after, observed) = observer.observe_rows((affected, next..end), components, trigger, id, store);
            next = after;
            defer_direct(store);
            if let Err(not_done) = observed {
                report(not_done, rare.as_deref_mut(), type_name::<E>(), store);
            }
        }
    }
}

impl<E: LifecycleEvent> Observers<E> {
    /// Tells the observer of what an operation does to one component of one entity. False, and nothing has happened, if it is not known to
    /// be the only one that is told.
    #[inline(always)]
    pub(super) fn tell_sole_of_one(&mut self, entity: Entity, component: ComponentId, store: &mut Store) -> bool {
        let Self { list, index: ObserverIndex { watching, .. }, of_life, .. } = self;
        if E::MOMENT.is_none_or(Moment::is_of_matches) {
            return false;
        }
        // Where there are none, or several, the list has no such place.
        let Some(listed) = list.get_mut(watching.sole_of_component(component) as usize) else { return false };
        if listed.is_removed() {
            return false;
        }
        // Mostly the event before was about the same component.
        let [about] = *of_life.components else { return false };
        if about != component {
            return false;
        }
        listed.notify(&mut E::of(entity), of_life, store);
        true
    }

    /// Tells observers of what an operation does to one component of one entity. False, and nothing has happened, if one of them watches
    /// single entities or a filter.
    pub(super) fn tell_of_one(&mut self, entity: Entity, component: ComponentId, store: &mut Store) -> bool {
        let Self { list, index: ObserverIndex { watching, .. }, of_life, .. } = self;
        if E::MOMENT.is_none_or(Moment::is_of_matches) {
            return false;
        }
        match watching.sole_of_component(component) {
            NO_OBSERVER => {}
            TO_BE_FOUND if watching.entities() != 0 => return false,
            TO_BE_FOUND => self.tell_several_of_one(entity, component, store),
            place => list[place as usize].notify_of_one(entity, component, of_life, store),
        }
        true
    }

    #[inline(never)]
    fn tell_several_of_one(&mut self, entity: Entity, component: ComponentId, store: &mut Store) {
        let Self { list, index: ObserverIndex { watching, .. }, of_life, .. } = self;
        for &place in watching.of_component(component) {
            list[place as usize].notify_of_one(entity, component, of_life, store);
        }
    }

    /// Tells observers of what an operation does to components of entities: observer by observer over all entities.
    /// Of one alone if that is said.
    pub(super) fn tell_of_components(
        &mut self,
        news: &NewsView<'_>,
        kinds: Kinds,
        one: Option<ObserverId>,
        store: &mut Store,
    ) {
        // Often it is one component of entities that no observer watches by themselves.
        if let (0, None, Some((affected, component))) = (self.index.watching.entities(), one, news.only(kinds)) {
            let Self { list, index: ObserverIndex { watched, watching, .. }, of_life, .. } = self;
            for &place in watching.of_component(component) {
                let listed = &mut list[place as usize];
                let watched = &watched[place as usize];
                match &watched.filter {
                    None => {
                        let components = core::slice::from_ref(&component);
                        listed.notify_rows(affected, components, of_life, store);
                    }
                    Some(_) => listed.tell_some(watched, news, kinds, None, of_life, store),
                }
            }
            return;
        }
        self.tell_of_many(news, kinds, one, store);
    }

    #[inline(never)]
    fn tell_of_many(&mut self, news: &NewsView<'_>, kinds: Kinds, one: Option<ObserverId>, store: &mut Store) {
        let Self { list, index: ObserverIndex { watched, watching, .. }, of_life, .. } = self;
        // Those that watch all entities, once each, in order.
        let mut general: Vec<u32> = Vec::new();
        let mut seen: Vec<ComponentId> = Vec::new();
        for id in news.of_kinds(kinds).flat_map(|part| part.components()) {
            if !seen.contains(&id) {
                seen.push(id);
                general.extend(watching.of_component(id));
            }
        }
        // Those that watch one of the entities, with the part of the news and the place where it stands.
        let mut of_some: Vec<(u32, usize, usize)> = Vec::new();
        if watching.entities() != 0 {
            for (number, part) in news.of_kinds(kinds).enumerate() {
                for (nth, entity) in part.affected.entities(&store.archetypes.tables).iter().enumerate() {
                    let places = watching.of_entity(*entity);
                    of_some.extend(places.iter().map(|&place| (place, number, nth)));
                }
            }
        }
        general.sort_unstable();
        general.dedup();
        of_some.sort_unstable();
        let mut tell = |place: u32, only: Option<(usize, usize)>, store: &mut Store| {
            let listed = &mut list[place as usize];
            if one.is_none_or(|one| one == listed.id) {
                listed.tell_some(&watched[place as usize], news, kinds, only, of_life, store);
            }
        };
        let mut of_some = of_some.into_iter().peekable();
        for place in general {
            while let Some((place, part, nth)) = of_some.next_if(|next| next.0 < place) {
                tell(place, Some((part, nth)), store);
            }
            tell(place, None, store);
        }
        of_some.for_each(|(place, part, nth)| tell(place, Some((part, nth)), store));
    }
}

impl<E: LifecycleEvent> Listed<E> {
    /// Runs the observer with what happens to one component of one entity.
    #[inline(always)]
    fn notify_of_one(
        &mut self,
        entity: Entity,
        component: ComponentId,
        trigger: &mut EntityComponentsTrigger,
        store: &mut Store,
    ) {
        let mut event = E::of(entity);
        Trigger::<E>::set_components(trigger, core::slice::from_ref(&component));
        self.notify(&mut event, trigger, store);
    }

    /// Tells the observer of what of the news it watches, or of one entity alone: of a part, and its place among those.
    fn tell_some(
        &mut self,
        Watched { components: watched, filter, .. }: &Watched,
        news: &NewsView<'_>,
        kinds: Kinds,
        only: Option<(usize, usize)>,
        trigger: &mut EntityComponentsTrigger,
        store: &mut Store,
    ) {
        let (from, count) = only.map_or((0, usize::MAX), |(part, _)| (part, 1));
        for part in news.of_kinds(kinds).skip(from).take(count) {
            let is_watched = |id: &ComponentId| watched.is_empty() || watched.contains(id);
            let about: Vec<ComponentId> = part.components().filter(is_watched).collect();
            if about.is_empty() {
                continue;
            }
            let affected = only.map_or(part.affected, |(_, nth)| part.affected.only(nth));
            let mut observe = |affected: Affected<'_>, store: &mut Store| {
                self.notify_rows(affected, &about, trigger, store);
            };
            match filter {
                Some(filter) => filter.for_each_turned(part, affected, store, observe),
                None => observe(affected, store),
            }
        }
    }
}

impl<E: Event> EventObservers for Observers<E> {
    fn remove(&mut self, number: usize, entities: &Entities) -> Option<RemovedObservers> {
        let list = &self.list;
        // The one that goes is still in the list.
        let is_occupied = |place: u32| {
            let listed = &list[place as usize];
            !listed.is_removed() && listed.id.0 != number
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

/// The observers of this type of event behind the trait.
#[inline]
pub(super) fn typed<E: Event>(observers: &mut dyn EventObservers) -> Option<&mut Observers<E>> {
    (observers as &mut dyn Any).downcast_mut()
}
