//! The observers of one type of event, as a store keeps them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;

use super::on::TriggerOf;
use crate::entity::{Entities, Entity, EntityHashMap};
use crate::event::{Event, Trigger};
use crate::store::{EventObservers, Store};

/// The handle of an observer. No two observers of a process ever have the same.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Event)]
/// struct Alarm;
///
/// let mut world = World::new();
/// let observer = world.add_observer(|_: On<Alarm>| {});
/// assert!(world.remove_observer(observer));
/// assert!(!world.remove_observer(observer));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObserverId(pub(super) usize);

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl ObserverId {
    pub(super) fn next() -> Self {
        let next = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |id| id.checked_add(1));
        next.map_or_else(|_| panic!("more observers were made than there are numbers"), Self)
    }
}

impl fmt::Debug for ObserverId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObserverId({})", self.0)
    }
}

/// An observer of events of one type.
pub(super) trait Observe<E: Event>: Send + Sync {
    /// The name of the system.
    fn name(&self) -> &str;

    /// Whether it runs only if conditions hold.
    fn has_conditions(&self) -> bool;

    /// Tells it of an event.
    fn observe(&mut self, event: &mut E, trigger: &mut TriggerOf<E>, id: ObserverId, store: &mut Store);
}

/// An observer and what it watches.
pub(super) struct Registered<E: Event> {
    pub(super) id: ObserverId,
    pub(super) observer: Box<dyn Observe<E>>,
    /// The entities whose events it is told of; those of all if there are none.
    pub(super) entities: Vec<Entity>,
}

/// The observers of one type of event.
pub(super) struct Observers<E: Event> {
    /// In the order in which they were added. None where one was removed.
    list: Vec<Option<Registered<E>>>,
    /// The place of each, by its number.
    places: HashMap<usize, u32>,
    /// The places of those that watch all events.
    of_all: Vec<u32>,
    /// The places of those that watch an entity, in order. Some of the entities may be dead.
    of_entities: EntityHashMap<Vec<u32>>,
    /// With how many entities the dead ones are looked for.
    crowded: usize,
    /// What the trigger remembers.
    pub(super) state: <TriggerOf<E> as Trigger<E>>::State,
}

impl<E: Event> Observers<E> {
    /// Fewer entities are not searched for dead ones, and fewer empty places are left.
    const FEW: usize = 64;

    pub(super) fn new() -> Self {
        Self {
            list: Vec::new(),
            places: HashMap::default(),
            of_all: Vec::new(),
            of_entities: EntityHashMap::default(),
            crowded: Self::FEW,
            state: Default::default(),
        }
    }

    pub(super) fn add(&mut self, registered: Registered<E>, entities: &Entities) {
        if self.of_entities.len() >= self.crowded {
            self.forget_dead(entities);
            self.crowded = Self::FEW.max(2 * self.of_entities.len());
        }
        self.list.push(Some(registered));
        self.enter(self.list.len() as u32 - 1);
    }

    /// Notes what the observer in a place watches.
    fn enter(&mut self, place: u32) {
        let Some(Registered { id, entities, .. }) = &self.list[place as usize] else { return };
        self.places.insert(id.0, place);
        if entities.is_empty() {
            self.of_all.push(place);
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
        self.of_entities.clear();
        for place in 0..self.list.len() as u32 {
            self.enter(place);
        }
    }

    /// Takes an observer out.
    fn take(&mut self, number: usize) -> Option<Registered<E>> {
        let place = self.places.remove(&number)?;
        let taken = self.list[place as usize].take()?;
        if taken.entities.is_empty() {
            self.of_all.retain(|&of_all| of_all != place);
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

    /// The observers that are told of an event for this entity, in order.
    pub(super) fn told(&self, target: Option<Entity>) -> impl Iterator<Item = &Registered<E>> {
        let of_entity = target.and_then(|target| self.of_entities.get(&target)).map_or(&[][..], Vec::as_slice);
        self.of_all.iter().chain(of_entity).filter_map(|&place| self.list[place as usize].as_ref())
    }

    /// All observers, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Registered<E>> {
        self.list.iter().flatten()
    }
}

impl<E: Event> EventObservers for Observers<E> {
    fn remove(&mut self, number: usize) -> bool {
        self.take(number).is_some()
    }

    fn forget_dead(&mut self, entities: &Entities) {
        if self.of_entities.keys().all(|&entity| entities.contains(entity)) {
            return;
        }
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
    }
}

/// The observers of this type of event behind the trait.
#[inline]
pub(super) fn typed<E: Event>(observers: &mut dyn EventObservers) -> Option<&mut Observers<E>> {
    (observers as &mut dyn Any).downcast_mut()
}
