//! The user-defined listeners of a store: observers of events, and hooks of components.
//!
//! An event is delivered at once. Its observers see the store as it is and can change values. They record structural changes as commands,
//! which stay in [`Dispatch::observer_commands`] until the outermost dispatch has ended. So the entities and the list of observers do not
//! change during a dispatch.
//!
//! A dispatch takes the observers out of the store ([`TakenObservers`]), so that each of them can be given the store. An event of the same
//! type that an observer triggers during the dispatch becomes a command.
//!
//! Commands of an observer have a [`Cause`]: the events that led to them. The depth of a cause is limited, so that events cannot trigger
//! each other without end.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;
use core::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;

use super::event_observers::{EventObservers, ObserversPlace, RemovedObservers, TakenObservers};
use super::lifecycle_events::LifecycleEvents;
use crate::component::{ComponentId, LifecycleMask, SlotMap, TypeSlot};
use crate::entity::{Entities, Entity};
use crate::structure::queue::Queue;
use crate::util::alloc_error::{try_shrink, try_shrink_map};
use crate::util::flags::flag_set;
use crate::util::origin::Origin;

/// The events that led to a command.
pub(crate) struct Cause {
    /// The events, the outermost first.
    events: Vec<&'static str>,
    /// The cause of the outermost event.
    before: Option<Arc<Cause>>,
    depth: usize,
    /// Whether the commands have been applied. This flag is set even if another world has taken the place of the world that stores the
    /// cause.
    has_ended: AtomicBool,
}

impl Cause {
    /// Marks the cause as ended.
    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

/// Why the observers of an event are not notified.
pub(crate) enum NotDispatched {
    /// The event has no observers.
    Unobserved,
    /// A dispatch of an event of this type has not ended.
    Busy,
    /// The limit of nested events is reached. Contains the name of the event, and a text with the names of all nested events.
    TooDeep(&'static str, String),
}

/// A function that links entities with a component to the targets that their values of the component name.
pub(crate) type LinkFn<C> = fn(&mut C, ComponentId, &[Entity]);

/// Functions of higher layers that a store calls.
pub(crate) struct DispatchVTable<C> {
    /// Delivers lifecycle events to hooks and observers.
    pub(crate) dispatch: fn(&mut C, &LifecycleEvents),
    /// Applies the commands that hooks and observers have recorded.
    pub(crate) apply: fn(&mut C),
    /// Notes which relationships are about to end by these events.
    pub(crate) unlink: fn(&mut C, &LifecycleEvents),
    /// Makes both sides of relationships agree.
    pub(crate) relink: fn(&mut C),
    /// Returns the function that links entities which get this component, if the component names a target.
    pub(crate) linking: fn(&C, ComponentId) -> Option<LinkFn<C>>,
    /// Tries to despawn an entity whose despawn notifies no listener, with the entities that are linked to it, without preparation. Returns
    /// false and changes nothing if the operation needs all phases.
    pub(crate) end: fn(&mut C, Entity) -> bool,
    /// Replaces old ids by new ones in the links of entities that have come from another store.
    pub(crate) moved: fn(&mut C, &[(Entity, Entity)]),
}

/// The names of the running dispatches, nested in each other, and their callers. Usually there is at most one.
#[derive(Default)]
struct RunningDispatches {
    /// The innermost dispatch. Valid if [`DispatchFlags`] has the flag `RUNNING`.
    innermost: (&'static str, Origin),
    /// The outer dispatches, the outermost first.
    others: Vec<(&'static str, Origin)>,
}

flag_set! {
    /// Flags of a dispatch. In the common case all are clear, so that one comparison covers them.
    struct DispatchFlags(u8) {
        /// An event is being dispatched, or a hook runs.
        RUNNING = 1;
        /// The dispatch or hook runs during another dispatch: [`RunningDispatches::others`] is not empty.
        NESTED = 1 << 1;
        /// There is a cause, or the limit is 0.
        LIMITED = 1 << 2;
        /// The depth limit has to be checked.
        MAY_LEAD = Self::RUNNING.0 | Self::LIMITED.0;
        /// The running hook or observer may have recorded commands through `World::commands`, not through a parameter `Commands`.
        WORLD_COMMANDS = 1 << 3;
        /// Commands may be pending until the end of the outermost dispatch.
        WAITING = 1 << 4;
    }
}

impl DispatchFlags {
    #[inline(always)]
    fn set(&mut self, some: Self, holds: bool) {
        *self = self.difference(some).union(some.only_if(holds));
    }
}

/// The user-defined listeners of a store of type `C`.
pub(crate) struct Dispatch<C: 'static> {
    numbers: SlotMap,
    /// The observers, by the number of their type of event.
    observers: Vec<ObserversPlace<C>>,
    /// The number of the type of event of each observer, by the number of the observer.
    events: HashMap<usize, u32>,
    running: RunningDispatches,
    /// The cause of the commands that are being applied.
    cause: Option<Arc<Cause>>,
    limit: usize,
    state: DispatchFlags,
    /// The numbers of the types of lifecycle events, in the order of [`LifecycleMask::DISPATCHED`].
    lifecycle: [Option<u32>; LifecycleMask::DISPATCHED.len()],
    /// The entities that the last bulk spawn has made, if listeners were notified of them.
    pub(super) made: Vec<Entity>,
    pub(crate) vtable: Option<&'static DispatchVTable<C>>,
    /// The component that was linked last, and the function that links entities which get this component.
    pub(super) last_link: Option<(ComponentId, LinkFn<C>)>,
    /// The commands of observers and hooks, until the outermost dispatch has ended. Each entry owns the queue of one listener.
    observer_commands: Queue<C>,
    /// The commands that the running hook or observer has recorded through `World::commands`, not through a parameter `Commands`.
    world_commands: Queue<C>,
}

impl<C: 'static> Default for Dispatch<C> {
    fn default() -> Self {
        Self {
            numbers: SlotMap::default(),
            observers: Vec::new(),
            events: HashMap::default(),
            running: RunningDispatches::default(),
            cause: None,
            limit: Self::LIMIT,
            state: DispatchFlags::NONE,
            lifecycle: [None; LifecycleMask::DISPATCHED.len()],
            made: Vec::new(),
            vtable: None,
            last_link: None,
            observer_commands: Queue::default(),
            world_commands: Queue::default(),
        }
    }
}

impl<C: 'static> Dispatch<C> {
    /// The default limit for the number of events that lead to one another.
    const LIMIT: usize = 128;

    /// Returns the number of a type of event, if it has had observers.
    #[inline]
    pub(crate) fn number<E: 'static>(&self, slot: Option<&'static TypeSlot<E>>) -> Option<u32> {
        // Checking the bound here avoids a check when the observers are taken.
        Some(self.numbers.place(slot)).filter(|&number| (number as usize) < self.observers.len())
    }

    /// Returns the number of a type of event. Registers the type if necessary.
    pub(crate) fn register<E: 'static, O: EventObservers<C>>(
        &mut self,
        slot: Option<&'static TypeSlot<E>>,
        make: impl FnOnce() -> O,
    ) -> u32 {
        self.numbers.register(slot, &mut self.observers, |_| ObserversPlace::new(type_name::<E>(), make()))
    }

    /// Registers a type of event as the event of these lifecycle kinds.
    pub(crate) fn register_lifecycle(&mut self, number: u32, kinds: LifecycleMask) {
        if let Some(at) = LifecycleMask::DISPATCHED.iter().position(|&dispatched| dispatched == kinds) {
            self.lifecycle[at] = Some(number);
        }
    }

    /// Returns the number of the type of lifecycle event at this index of [`LifecycleMask::DISPATCHED`], if it has had observers.
    #[inline]
    pub(crate) fn lifecycle_number(&self, at: usize) -> Option<u32> {
        self.lifecycle[at]
    }

    /// Returns the lifecycle events of a component, or of any component, that are observed.
    pub(super) fn observed(&self, component: Option<ComponentId>) -> LifecycleMask {
        let is_watched = |number: u32| self.get(number).is_some_and(|observers| observers.watches(component));
        let all = self.lifecycle.iter().zip(LifecycleMask::DISPATCHED);
        let observed = all.filter(|(number, _)| number.is_some_and(is_watched));
        observed.fold(LifecycleMask::NONE, |observed, (_, kinds)| observed.union(kinds))
    }

    /// Returns the observers of a type of event, unless such an event is being dispatched.
    pub(crate) fn of(&mut self, number: u32) -> Option<&mut dyn EventObservers<C>> {
        self.observers.get_mut(number as usize)?.get_mut()
    }

    /// Returns a shared reference to the observers of a type of event, unless such an event is being dispatched.
    pub(crate) fn get(&self, number: u32) -> Option<&dyn EventObservers<C>> {
        self.observers.get(number as usize)?.get()
    }

    /// Returns whether an event is being dispatched.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.state.intersects(DispatchFlags::RUNNING)
    }

    /// Returns whether no dispatch is running, there is no cause, and no commands are pending.
    #[inline(always)]
    pub(crate) fn is_idle(&self) -> bool {
        self.state == DispatchFlags::NONE
    }

    /// Returns whether the running hook or observer may have recorded commands through `World::commands`.
    #[inline(always)]
    pub(crate) fn has_world_commands(&self) -> bool {
        self.state.intersects(DispatchFlags::WORLD_COMMANDS)
    }

    /// Returns the queue in which `World::commands` records the commands of the running hook or observer.
    pub(crate) fn world_commands(&mut self) -> &mut Queue<C> {
        self.state.set(DispatchFlags::WORLD_COMMANDS, true);
        &mut self.world_commands
    }

    /// Takes the commands that were recorded through `World::commands`.
    pub(crate) fn take_world_commands(&mut self) -> Queue<C> {
        self.state.set(DispatchFlags::WORLD_COMMANDS, false);
        core::mem::take(&mut self.world_commands)
    }

    /// Returns whether commands of observers may be pending until the end of the outermost dispatch.
    #[inline(always)]
    pub(crate) fn has_observer_commands(&self) -> bool {
        self.state.intersects(DispatchFlags::WAITING)
    }

    /// Adds a command that is applied at the end of the outermost dispatch.
    pub(crate) fn push_observer_commands(&mut self, command: impl FnOnce(&mut C) + Send + 'static) {
        self.state.set(DispatchFlags::WAITING, true);
        self.observer_commands.push(command);
    }

    /// Takes the pending commands of observers and hooks.
    pub(crate) fn take_observer_commands(&mut self) -> Queue<C> {
        self.state.set(DispatchFlags::WAITING, false);
        core::mem::take(&mut self.observer_commands)
    }

    /// Keeps the memory of a queue for later pending commands, after the commands of the queue have been applied.
    #[inline]
    pub(crate) fn reuse_observer_commands(&mut self, queue: &mut Queue<C>) {
        self.observer_commands.reuse(queue);
    }

    /// Keeps the memory of a queue for later commands of `World::commands`, after the commands of the queue have been applied.
    #[inline]
    pub(crate) fn reuse_world_commands(&mut self, queue: &mut Queue<C>) {
        self.world_commands.reuse(queue);
    }

    /// Returns the bytes that are allocated for pending commands.
    pub(super) fn queued_bytes(&self) -> usize {
        self.observer_commands.allocated_bytes() + self.world_commands.allocated_bytes()
    }

    /// Sets the limit for the number of events that lead to one another.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.note_limited();
    }

    fn note_limited(&mut self) {
        self.state.set(DispatchFlags::LIMITED, self.cause.is_some() || self.limit == 0);
    }

    /// Begins the dispatch of an event, or the run of a hook; `caller` has triggered it. The caller of this function ends it with
    /// [`Dispatch::end`]. Returns false if the limit of nested events is reached.
    #[inline(always)]
    pub(crate) fn begin(&mut self, name: &'static str, caller: Origin) -> bool {
        if self.state.intersects(DispatchFlags::MAY_LEAD) && !self.save_running() {
            return false;
        }
        self.running.innermost = (name, caller);
        self.state.set(DispatchFlags::RUNNING, true);
        true
    }

    /// Begins the dispatch of an event and takes the observers of the event, which have the type `O`. The caller ends the dispatch with
    /// [`Dispatch::end`]. If this returns `None`, [`Dispatch::why_not`] returns the reason.
    #[inline(always)]
    pub(crate) fn begin_event<E: 'static, O: EventObservers<C>>(
        &mut self,
        number: u32,
        caller: Origin,
    ) -> Option<TakenObservers<O>> {
        self.begin_with(number, type_name::<E>(), caller, ObserversPlace::take)
    }

    /// Begins the dispatch of an event as [`begin_event`](Self::begin_event) does, if only the number of the type of event is known.
    #[inline(always)]
    pub(crate) fn begin_lifecycle(
        &mut self,
        number: u32,
        caller: Origin,
    ) -> Option<TakenObservers<dyn EventObservers<C>>> {
        let name = self.observers.get(number as usize)?.event();
        self.begin_with(number, name, caller, ObserversPlace::take_any)
    }

    #[inline(always)]
    fn begin_with<T>(
        &mut self,
        number: u32,
        name: &'static str,
        caller: Origin,
        take: impl FnOnce(&mut ObserversPlace<C>) -> Option<T>,
    ) -> Option<T> {
        // The observers are taken last, because `save_running` may run out of memory.
        if !self.begin(name, caller) {
            return None;
        }
        let taken = self.observers.get_mut(number as usize).and_then(take);
        if taken.is_none() {
            self.end();
        }
        taken
    }

    /// Returns false if the limit of depth is reached. Otherwise saves the running dispatch, if there is one, in
    /// [`RunningDispatches::others`].
    #[cold]
    #[inline(never)]
    fn save_running(&mut self) -> bool {
        if self.depth() >= self.limit {
            return false;
        }
        if self.is_running() {
            self.running.others.push(self.running.innermost);
            self.state.set(DispatchFlags::NESTED, true);
        }
        true
    }

    /// Ends the innermost dispatch.
    #[inline(always)]
    pub(crate) fn end(&mut self) {
        if self.state == DispatchFlags::RUNNING {
            self.state = DispatchFlags::NONE;
        } else {
            self.end_nested();
        }
    }

    #[inline(never)]
    fn end_nested(&mut self) {
        match self.running.others.pop() {
            Some(outer) => self.running.innermost = outer,
            None => self.state.set(DispatchFlags::RUNNING, false),
        }
        self.state.set(DispatchFlags::NESTED, !self.running.others.is_empty());
    }

    /// Returns the reason why the observers of an event are not notified.
    #[cold]
    pub(crate) fn why_not(&self, number: u32) -> NotDispatched {
        match self.observers.get(number as usize) {
            None => NotDispatched::Unobserved,
            Some(place) if self.depth() >= self.limit => {
                NotDispatched::TooDeep(place.event(), self.chain(place.event()))
            }
            Some(_) => NotDispatched::Busy,
        }
    }

    /// Returns the caller that has triggered the event that is being dispatched.
    #[inline]
    pub(crate) fn caller(&self) -> Origin {
        if self.is_running() { self.running.innermost.1 } else { Origin::UNKNOWN }
    }

    /// Returns the names of the events that are being dispatched, the outermost first.
    fn names(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        let innermost = self.is_running().then_some(&self.running.innermost);
        self.running.others.iter().chain(innermost).map(|(name, _)| *name)
    }

    /// Returns the number of events that have led to the current one.
    #[inline]
    fn depth(&self) -> usize {
        self.names().count() + self.cause().map_or(0, |cause| cause.depth)
    }

    /// Returns the cause of the commands that are being applied.
    #[inline]
    fn cause(&self) -> Option<&Arc<Cause>> {
        self.cause.as_ref().filter(|cause| !cause.has_ended.load(Ordering::Relaxed))
    }

    /// Returns the cause for the commands of the running observer.
    pub(crate) fn cause_of_commands(&self) -> Arc<Cause> {
        Arc::new(Cause {
            events: self.names().collect(),
            before: self.cause().cloned(),
            depth: self.depth(),
            has_ended: AtomicBool::new(false),
        })
    }

    /// Sets the cause of the commands that are applied from now on, and returns the previous one.
    pub(crate) fn set_cause(&mut self, cause: Option<Arc<Cause>>) -> Option<Arc<Cause>> {
        let before = core::mem::replace(&mut self.cause, cause);
        self.note_limited();
        before
    }

    /// Returns a text with the names of the events that led to the event `last`. If there are many, it contains only the outermost and the
    /// innermost ones.
    #[cold]
    pub(crate) fn chain(&self, last: &'static str) -> String {
        const SHOWN: usize = 4;
        let mut names = alloc::vec![last];
        names.extend(self.names().rev());
        let mut before = self.cause();
        while let Some(cause) = before {
            names.extend(cause.events.iter().rev());
            before = cause.before.as_ref();
        }
        names.reverse();
        let mut text = String::new();
        for (at, name) in names.iter().enumerate() {
            if names.len() > 2 * SHOWN && at == SHOWN {
                text.push_str(&alloc::format!(", … ({} more)", names.len() - 2 * SHOWN));
            }
            if names.len() <= 2 * SHOWN || at < SHOWN || at >= names.len() - SHOWN {
                let separator = if at == 0 { "" } else { " → " };
                text.push_str(&alloc::format!("{separator}`{name}`"));
            }
        }
        text
    }

    /// Registers an observer for a type of event.
    pub(crate) fn enter(&mut self, observer: usize, event: u32) {
        self.events.insert(observer, event);
    }

    /// Removes the observer with this number. Returns `None` if there is no such observer.
    pub(crate) fn remove(&mut self, observer: usize, entities: &Entities) -> Option<RemovedObservers> {
        let event = self.events.remove(&observer)?;
        self.of(event)?.remove(observer, entities)
    }

    /// Returns whether an observer watches single entities.
    pub(crate) fn watch_entities(&self) -> bool {
        self.observers.iter().filter_map(ObserversPlace::get).any(|observers| observers.watch_entities())
    }

    /// Removes the entries of removed observers from the map of their types of event.
    pub(crate) fn forget(&mut self, removed: &RemovedObservers) {
        removed.numbers.iter().for_each(|number| _ = self.events.remove(number));
    }

    /// Removes observers that watch only entities that are not alive, and frees spare memory.
    pub(crate) fn shrink_to_fit(&mut self, entities: &Entities) -> RemovedObservers {
        let mut removed = RemovedObservers::default();
        for observers in self.observers.iter_mut().filter_map(ObserversPlace::get_mut) {
            observers.forget_dead(entities, &mut removed);
            observers.shrink_to_fit(entities);
        }
        self.forget(&removed);
        try_shrink_map(&mut self.events);
        [&mut self.observer_commands, &mut self.world_commands].into_iter().for_each(Queue::shrink_to_fit);
        try_shrink(&mut self.made);
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Begins nested dispatches. Returns whether each could begin.
    fn begin(reactions: &mut Dispatch<()>, names: &[&'static str]) -> Vec<bool> {
        names.iter().map(|name| reactions.begin(name, Origin::UNKNOWN)).collect()
    }

    #[test]
    fn dispatches_end_in_reverse_order() {
        let mut reactions = Dispatch::default();
        assert!(reactions.is_idle() && !reactions.is_running());
        assert_eq!(begin(&mut reactions, &["a", "b", "c"]), [true; 3]);
        assert_eq!(reactions.chain("d"), "`a` → `b` → `c` → `d`");
        reactions.end();
        assert_eq!(reactions.chain("d"), "`a` → `b` → `d`");
        reactions.end();
        reactions.end();
        assert!(reactions.is_idle() && !reactions.is_running());
        assert_eq!(reactions.chain("d"), "`d`");
    }

    #[test]
    fn the_depth_of_dispatches_and_of_their_causes_is_limited() {
        let mut reactions = Dispatch::default();
        reactions.set_limit(2);
        assert_eq!(begin(&mut reactions, &["a", "b", "c"]), [true, true, false]);
        let cause = reactions.cause_of_commands();
        reactions.end();
        reactions.end();
        assert!(reactions.set_cause(Some(Arc::clone(&cause))).is_none());
        assert_eq!(begin(&mut reactions, &["d"]), [false]);
        assert_eq!(reactions.chain("d"), "`a` → `b` → `d`");
        // All commands of this cause have been applied, perhaps while this world was exchanged for another one. So the chain of causes
        // starts again.
        cause.end();
        assert_eq!(begin(&mut reactions, &["d", "e"]), [true, true]);
    }

    #[test]
    fn without_observers_nothing_is_observed() {
        let mut reactions = Dispatch::<()>::default();
        assert!(matches!(reactions.why_not(0), NotDispatched::Unobserved));
        assert!(reactions.begin_lifecycle(0, Origin::UNKNOWN).is_none() && reactions.is_idle());
        assert_eq!(reactions.observed(None), LifecycleMask::NONE);
        assert_eq!(reactions.lifecycle_number(0), None);
    }
}
