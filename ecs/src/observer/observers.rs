//! The observers of one type of event, as a store keeps them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use hashbrown::HashMap;

use super::id::ObserverId;
use super::matched::MatchFilter;
use super::on::TriggerOf;
use crate::component::{ComponentId, Kinds};
use crate::entity::{Entities, Entity, EntityHashMap};
use crate::event::{EntityComponentsTrigger, Event, LifecycleEvent, Trigger};
use crate::store::{Affected, EventObservers, NewsView, Store};

/// An observer of events of one type.
pub(super) trait Observe<E: Event>: Send + Sync {
    /// The name of the system.
    fn name(&self) -> &str;

    /// Whether it runs only if conditions hold.
    fn has_conditions(&self) -> bool;

    /// Tells it of an event.
    fn observe(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, id: ObserverId, store: &mut Store);

    /// Tells it of the events of several entities, which are about these components.
    fn observe_all(
        &mut self,
        affected: Affected<'_>,
        components: &[ComponentId],
        trigger: &mut TriggerOf<E>,
        id: ObserverId,
        store: &mut Store,
    );
}

/// An observer and what it watches.
pub(super) struct Registered<E: Event> {
    pub(super) id: ObserverId,
    pub(super) observer: Box<dyn Observe<E>>,
    /// The entities whose events it is told of; those of all if there are none.
    pub(super) entities: Vec<Entity>,
    /// The components that the events are about; any, if there are none.
    pub(super) components: Vec<ComponentId>,
    /// What entities begin or end to match.
    pub(super) filter: Option<MatchFilter>,
}

/// The observers of one type of event.
pub(super) struct Observers<E: Event> {
    /// In the order in which they were added. None where one was removed.
    list: Vec<Option<Registered<E>>>,
    /// The place of each, by its number.
    places: HashMap<usize, u32>,
    /// The places of those that watch all events.
    of_all: Vec<u32>,
    /// By the number of a component that some watch: the places of those that watch it, of all entities, or all events, in order.
    of_components: Vec<Option<Vec<u32>>>,
    /// How many watch a component, of some entities or of all.
    watching: HashMap<Option<ComponentId>, u32>,
    /// The places of those that watch an entity, in order. Some of the entities may be dead.
    of_entities: EntityHashMap<Vec<u32>>,
    /// With how many entities the dead ones are looked for.
    crowded: usize,
    /// What the trigger remembers.
    pub(super) state: <TriggerOf<E> as Trigger<E>>::State,
    /// What observers are given with events of the life of components.
    of_life: EntityComponentsTrigger,
}

impl<E: Event> Observers<E> {
    /// Fewer entities are not searched for dead ones, and fewer empty places are left.
    const FEW: usize = 64;

    pub(super) fn new() -> Self {
        Self {
            list: Vec::new(),
            places: HashMap::default(),
            of_all: Vec::new(),
            of_components: Vec::new(),
            watching: HashMap::default(),
            of_entities: EntityHashMap::default(),
            crowded: Self::FEW,
            state: Default::default(),
            of_life: EntityComponentsTrigger::default(),
        }
    }

    /// Adds an observer, and says which components no observer watches any more.
    pub(super) fn add(&mut self, registered: Registered<E>, entities: &Entities) -> Vec<Option<ComponentId>> {
        let mut unwatched = Vec::new();
        if self.of_entities.len() >= self.crowded {
            unwatched = self.forget_dead(entities);
            self.crowded = Self::FEW.max(2 * self.of_entities.len());
        }
        self.list.push(Some(registered));
        self.enter(self.list.len() as u32 - 1);
        unwatched
    }

    /// Notes what the observer in a place watches.
    fn enter(&mut self, place: u32) {
        let Some(Registered { id, entities, components, .. }) = &self.list[place as usize] else { return };
        self.places.insert(id.0, place);
        for watched in watched(components) {
            *self.watching.entry(watched).or_default() += 1;
        }
        if entities.is_empty() {
            for watched in watched(components) {
                match watched {
                    Some(id) => {
                        if self.of_components.len() <= id.index() {
                            self.of_components.resize(id.index() + 1, None);
                        }
                        self.of_components[id.index()].get_or_insert_with(|| self.of_all.clone()).push(place);
                    }
                    None => {
                        self.of_all.push(place);
                        self.of_components.iter_mut().flatten().for_each(|places| places.push(place));
                    }
                }
            }
        }
        for &entity in entities {
            let places = self.of_entities.entry(entity).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }

    /// Closes the gaps in the list.
    fn close_gaps(&mut self) {
        self.list.retain(Option::is_some);
        self.places.clear();
        self.of_all.clear();
        self.of_components.clear();
        self.watching.clear();
        self.of_entities.clear();
        for place in 0..self.list.len() as u32 {
            self.enter(place);
        }
    }

    /// Takes an observer out.
    fn take(&mut self, number: usize) -> Option<Registered<E>> {
        let place = self.places.remove(&number)?;
        let taken = self.list[place as usize].take()?;
        for watched in watched(&taken.components) {
            if let Some(count) = self.watching.get_mut(&watched) {
                *count -= 1;
            }
        }
        if taken.entities.is_empty() {
            let lists = self.of_components.iter_mut().flatten().chain([&mut self.of_all]);
            lists.for_each(|places| places.retain(|&other| other != place));
        }
        for entity in &taken.entities {
            if let Some(places) = self.of_entities.get_mut(entity) {
                places.retain(|&of_entity| of_entity != place);
                if places.is_empty() {
                    self.of_entities.remove(entity);
                }
            }
        }
        if self.list.len() >= Self::FEW && self.places.len() < self.list.len() / 2 {
            self.close_gaps();
        }
        Some(taken)
    }

    /// Tells observers of an event: those that watch all, and then those of this entity, which is alive.
    #[inline]
    pub(super) fn tell(
        &mut self,
        target: Option<Entity>,
        event: &mut E,
        trigger: &mut TriggerOf<E>,
        store: &mut Store,
    ) {
        let Self { list, of_all, of_entities, .. } = self;
        let mut tell = |places: &[u32], store: &mut Store| {
            for &place in places {
                if let Some(Registered { id, observer, .. }) = &mut list[place as usize] {
                    observer.observe(event, trigger, *id, store);
                }
            }
        };
        tell(of_all, store);
        if let Some(target) = target
            && !of_entities.is_empty()
            && let Some(places) = of_entities.get(&target)
            && store.entities.contains(target)
        {
            tell(places, store);
        }
    }

    /// All observers, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Registered<E>> {
        self.list.iter().flatten()
    }
}

/// The places of the observers that are told of a component, of whatever entity.
#[inline]
fn of_component<'o>(of_components: &'o [Option<Vec<u32>>], of_all: &'o [u32], id: ComponentId) -> &'o [u32] {
    match of_components.get(id.index()) {
        Some(Some(places)) => places,
        _ => of_all,
    }
}

/// What an observer watches: each of these components, or none in particular.
fn watched(components: &[ComponentId]) -> impl Iterator<Item = Option<ComponentId>> {
    let any = components.is_empty().then_some(None);
    components.iter().copied().map(Some).chain(any)
}

impl<E: LifecycleEvent> Observers<E> {
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
        if let (true, None, Some((affected, component))) = (self.of_entities.is_empty(), one, news.only(kinds)) {
            let Self { list, of_all, of_components, of_life, .. } = self;
            for &place in of_component(of_components, of_all, component) {
                let Some(registered) = &mut list[place as usize] else { continue };
                match &registered.filter {
                    None => {
                        let components = core::slice::from_ref(&component);
                        registered.observer.observe_all(affected, components, of_life, registered.id, store);
                    }
                    Some(_) => registered.tell(news, kinds, None, of_life, store),
                }
            }
            return;
        }
        self.tell_of_many(news, kinds, one, store);
    }

    #[inline(never)]
    fn tell_of_many(&mut self, news: &NewsView<'_>, kinds: Kinds, one: Option<ObserverId>, store: &mut Store) {
        let Self { list, of_all, of_components, of_entities, of_life, .. } = self;
        // Those that watch all entities, once each, in order.
        let mut general: Vec<u32> = Vec::new();
        let mut seen: Vec<ComponentId> = Vec::new();
        for id in news.of_kinds(kinds).flat_map(|part| part.components()) {
            if !seen.contains(&id) {
                seen.push(id);
                general.extend(of_component(of_components, of_all, id));
            }
        }
        // Those that watch one of the entities, with the part of the news and the place where it stands.
        let mut of_some: Vec<(u32, usize, usize)> = Vec::new();
        if !of_entities.is_empty() {
            for (number, part) in news.of_kinds(kinds).enumerate() {
                for (nth, entity) in part.affected.entities(&store.archetypes.tables).iter().enumerate() {
                    let places = of_entities.get(entity).into_iter().flatten();
                    of_some.extend(places.map(|&place| (place, number, nth)));
                }
            }
        }
        general.sort_unstable();
        general.dedup();
        of_some.sort_unstable();
        let mut tell = |place: u32, only: Option<(usize, usize)>, store: &mut Store| {
            let told = list[place as usize].as_mut().filter(|told| one.is_none_or(|one| one == told.id));
            if let Some(told) = told {
                told.tell(news, kinds, only, of_life, store);
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

impl<E: LifecycleEvent> Registered<E> {
    /// Tells the observer of what of the news it watches, or of one entity alone: of a part, and its place among those.
    fn tell(
        &mut self,
        news: &NewsView<'_>,
        kinds: Kinds,
        only: Option<(usize, usize)>,
        trigger: &mut EntityComponentsTrigger,
        store: &mut Store,
    ) {
        let Self { id, observer, components: watched, filter, .. } = self;
        let (from, count) = only.map_or((0, usize::MAX), |(part, _)| (part, 1));
        for part in news.of_kinds(kinds).skip(from).take(count) {
            let is_watched = |id: &ComponentId| watched.is_empty() || watched.contains(id);
            let about: Vec<ComponentId> = part.components().filter(is_watched).collect();
            if about.is_empty() {
                continue;
            }
            let affected = only.map_or(part.affected, |(_, nth)| part.affected.only(nth));
            let mut observe = |affected: Affected<'_>, store: &mut Store| {
                observer.observe_all(affected, &about, trigger, *id, store);
            };
            match filter {
                Some(filter) => filter.for_each_turned(part, affected, store, observe),
                None => observe(affected, store),
            }
        }
    }
}

impl<E: Event> EventObservers for Observers<E> {
    fn remove(&mut self, number: usize) -> Option<Vec<Option<ComponentId>>> {
        let taken = self.take(number)?;
        Some(watched(&taken.components).filter(|&component| !self.watches(component)).collect())
    }

    fn watches(&self, component: Option<ComponentId>) -> bool {
        self.watching.get(&component).is_some_and(|&count| count != 0)
    }

    fn forget_dead(&mut self, entities: &Entities) -> Vec<Option<ComponentId>> {
        if self.of_entities.keys().all(|&entity| entities.contains(entity)) {
            return Vec::new();
        }
        let before: Vec<_> = self.watching.keys().copied().collect();
        // They are dropped when the list is right again: that is user code.
        let mut dropped = Vec::new();
        for place in &mut self.list {
            let Some(registered) = place else { continue };
            let watches_all = registered.entities.is_empty();
            registered.entities.retain(|&entity| entities.contains(entity));
            if !watches_all && registered.entities.is_empty() {
                dropped.push(place.take());
            }
        }
        self.close_gaps();
        before.into_iter().filter(|&component| !self.watches(component)).collect()
    }
}

/// The observers of this type of event behind the trait.
#[inline]
pub(super) fn typed<E: Event>(observers: &mut dyn EventObservers) -> Option<&mut Observers<E>> {
    (observers as &mut dyn Any).downcast_mut()
}
