//! Hand-written events with the bookkeeping of a world: the lowest possible cost of observers ("honest").
//!
//! The bookkeeping records which observers observe all events and which observe one entity, whether that entity is alive, whether ids are
//! reserved, which event is running and what it has caused, the run in which a value was changed, and the last run and the conditions of
//! each observer. Observers are kept if one of them panics.

use std::hint::black_box;
use std::sync::atomic::{AtomicI64, Ordering};

use strata_ecs::prelude::Entity;

/// The bookkeeping for one event type.
pub(crate) struct Books<E> {
    told: Told<E>,
    events: Events,
}

/// The observers of one event type.
struct Told<E> {
    /// Taken out while they run, because each observer gets mutable access to the rest of the bookkeeping.
    observers: Option<Box<List<E>>>,
    of_all: Vec<u32>,
    /// By entity index: the entity's generation, and the index of its observer.
    of_entities: Vec<(u32, u32)>,
}

/// The observers of one event type, in order. `None` marks a removed one.
struct List<E>(Vec<Option<Box<dyn Observe<E>>>>);

/// The state that observers get in addition to an event.
pub(crate) struct Events {
    generations: Vec<u32>,
    reserved: AtomicI64,
    running: Option<&'static str>,
    around: Vec<&'static str>,
    caused: Vec<Box<dyn FnOnce()>>,
    run: u32,
    checked: u32,
    /// A value, and the run in which it was changed.
    total: Option<Box<u64>>,
    changed: u32,
}

impl Events {
    /// A value that observers increment.
    #[inline]
    pub(crate) fn total(&mut self) -> &mut u64 {
        self.changed = self.run;
        self.total.as_mut().expect("the total is there")
    }
}

trait Observe<E> {
    fn observe(&mut self, event: &mut E, events: &mut Events);
}

/// An observer function with its conditions.
struct Observer<F> {
    conditions: Vec<fn(&Events) -> bool>,
    last_run: u32,
    function: F,
}

impl<E, F: FnMut(&mut E, &mut Events)> Observe<E> for Observer<F> {
    fn observe(&mut self, event: &mut E, events: &mut Events) {
        if !self.conditions.iter().all(|condition| condition(events)) {
            return;
        }
        if events.run.wrapping_sub(events.checked) >= 1 << 29 {
            events.checked = events.run;
        }
        events.run = events.run.wrapping_add(1);
        self.last_run = events.run;
        (self.function)(event, events);
    }
}

/// Puts the observers back on drop, even if one of them panics.
struct PutBack<'b, E> {
    books: &'b mut Books<E>,
    observers: Option<Box<List<E>>>,
}

impl<E> Drop for PutBack<'_, E> {
    fn drop(&mut self) {
        self.books.told.observers = self.observers.take();
        self.books.events.running = self.books.events.around.pop();
    }
}

impl<E> Books<E> {
    /// Creates bookkeeping without observers for these entities and their generations.
    pub(crate) fn new(entities: &[Entity]) -> Self {
        let last = entities.iter().map(|entity| entity.index()).max().map_or(0, |last| last as usize + 1);
        let mut generations = vec![0; last];
        entities.iter().for_each(|entity| generations[entity.index() as usize] = entity.generation());
        let told =
            Told { observers: Some(Box::new(List(Vec::new()))), of_all: Vec::new(), of_entities: vec![(0, 0); last] };
        let events = Events {
            generations,
            reserved: AtomicI64::new(0),
            running: None,
            around: Vec::new(),
            caused: Vec::new(),
            run: 0,
            checked: 0,
            total: Some(Box::new(0)),
            changed: 0,
        };
        Self { told, events }
    }

    /// Adds an observer of all events, or of the events of one entity.
    pub(crate) fn observe(&mut self, entity: Option<Entity>, function: impl FnMut(&mut E, &mut Events) + 'static) {
        let Told { observers, of_all, of_entities } = &mut self.told;
        let List(observers) = &mut **observers.as_mut().expect("no event is being told");
        let place = observers.len() as u32;
        observers.push(Some(Box::new(Observer { conditions: Vec::new(), last_run: 0, function })));
        match entity {
            None => of_all.push(place),
            Some(entity) => of_entities[entity.index() as usize] = (entity.generation(), place),
        }
    }

    /// Triggers an event, with or without a target entity.
    #[inline]
    pub(crate) fn trigger(&mut self, target: Option<Entity>, event: &mut E) {
        if *self.events.reserved.get_mut() != 0 {
            self.events.reserved.store(0, Ordering::Relaxed);
        }
        let Some(observers) = self.told.observers.take() else { return };
        self.events.around.extend(self.events.running.replace("the event"));
        let mut told = PutBack { books: self, observers: Some(observers) };
        let PutBack { books: Books { told: Told { of_all, of_entities, .. }, events }, observers } = &mut told;
        let List(observers) = &mut **observers.as_mut().expect("they have been taken");
        for &place in &*of_all {
            if let Some(observer) = &mut observers[place as usize] {
                observer.observe(event, events);
            }
        }
        if let Some(target) = target {
            let (index, generation) = (target.index() as usize, target.generation());
            if let Some(&(watched, place)) = of_entities.get(index)
                && watched == generation
                && events.generations.get(index) == Some(&generation)
                && let Some(observer) = &mut observers[place as usize]
            {
                observer.observe(event, events);
            }
        }
        drop(told);
        if !self.events.caused.is_empty() {
            std::mem::take(&mut self.events.caused).into_iter().for_each(|caused| caused());
        }
    }
}

impl<E> Drop for Books<E> {
    fn drop(&mut self) {
        black_box((&self.events.total, self.events.changed));
    }
}
