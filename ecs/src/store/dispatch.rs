//! What a store keeps for listeners that are user code: the observers of events, and hooks of components.
//!
//! An event is delivered at once. Its observers see the store as it is and can change values. They record structural changes as
//! commands, which wait in [`Dispatch::observer_commands`] until the outermost dispatch has ended. So the entities, and the list of observers, stay
//! the same during a dispatch.
//!
//! A dispatch takes the observers out of the store ([`TakenObservers`]), so that each of them can be given the store. An event of the same
//! type that an observer triggers during the dispatch becomes a command.
//!
//! Commands of an observer know their [`Cause`]: the events that led to them. Its depth is limited, so that events that cause each other
//! end.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::type_name;
use core::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;

use super::event_observers::{EventObservers, ObserversPlace, RemovedObservers, TakenObservers};
use super::lifecycle_events::LifecycleEvents;
use crate::alloc_error::{try_shrink, try_shrink_map};
use crate::component::{ComponentId, Kinds, SlotMap, TypeSlot};
use crate::entity::{Entities, Entity};
use crate::flags::flag_set;
use crate::origin::Origin;
use crate::queue::Queue;

/// The events that led to a command.
pub(crate) struct Cause {
    /// From the outermost to the innermost.
    events: Vec<&'static str>,
    /// What led to the outermost of them.
    before: Option<Arc<Cause>>,
    depth: usize,
    /// Whether the commands have been carried out. The world for which that was noted may be elsewhere then.
    has_ended: AtomicBool,
}

impl Cause {
    /// The cause is none any more.
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
    /// Too many events led to it: its name, and those of all.
    TooDeep(&'static str, String),
}

/// Links entities that have this component to the targets that it names.
pub(crate) type Link<C> = fn(&mut C, ComponentId, &[Entity]);

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
    /// Returns how entities are linked that get this component, if it names a target.
    pub(crate) linking: fn(&C, ComponentId) -> Option<Link<C>>,
    /// Despawns an entity of whose end no listener is notified, with those that are linked to it, if that is simple. Otherwise returns
    /// false, and nothing has happened.
    pub(crate) end: fn(&mut C, Entity) -> bool,
    /// Makes components of entities that have come from another store name each other by their new ids.
    pub(crate) moved: fn(&mut C, &[(Entity, Entity)]),
}

/// The names of the events that are being told, one inside the other, and what has triggered them. Mostly it is none or one.
#[derive(Default)]
struct Running {
    /// The last one, if there is one: [`State`] says so.
    innermost: (&'static str, Origin),
    /// Around that, the outermost one first.
    others: Vec<(&'static str, Origin)>,
}

flag_set! {
    /// Flags of a dispatch. In the common case all are clear, so that one comparison covers them.
    struct State(u8) {
        /// An event is being dispatched, or a hook runs.
        RUNNING = 1;
        /// That happens during another dispatch: [`Running::others`] is not empty.
        NESTED = 1 << 1;
        /// There is a cause, or the limit is 0.
        LIMITED = 1 << 2;
        /// The limit of depth has to be checked.
        MAY_LEAD = Self::RUNNING.0 | Self::LIMITED.0;
        /// The running system may have recorded commands outside of its parameters.
        WORLD_COMMANDS = 1 << 3;
        /// Commands may wait for the end of the outermost dispatch.
        WAITING = 1 << 4;
    }
}

impl State {
    #[inline(always)]
    fn set(&mut self, some: Self, holds: bool) {
        *self = self.difference(some).union(some.only_if(holds));
    }
}

/// The listeners of a store, which is a `C`, that are user code.
pub(crate) struct Dispatch<C: 'static> {
    numbers: SlotMap,
    /// By number.
    observers: Vec<ObserversPlace<C>>,
    /// By the number of an observer: that of its type of event.
    events: HashMap<usize, u32>,
    running: Running,
    /// What led to the commands that are being carried out.
    cause: Option<Arc<Cause>>,
    limit: usize,
    state: State,
    /// The numbers of the types of lifecycle events, in the order of [`Kinds::DISPATCHED`].
    lifecycle: [Option<u32>; Kinds::DISPATCHED.len()],
    /// The entities that the last bulk operation has made of which something was told.
    pub(super) made: Vec<Entity>,
    /// How many times commands of observers have been applied.
    pub(crate) applied: u64,
    pub(crate) vtable: Option<&'static DispatchVTable<C>>,
    /// How entities are linked that get this component, which names a target: the last one that came.
    pub(super) last_link: Option<(ComponentId, Link<C>)>,
    /// The commands of observers, until the outermost event has been told.
    observer_commands: Queue<C>,
    /// What the observer that is running has recorded beside its parameters.
    world_commands: Queue<C>,
}

impl<C: 'static> Default for Dispatch<C> {
    fn default() -> Self {
        Self {
            numbers: SlotMap::default(),
            observers: Vec::new(),
            events: HashMap::default(),
            running: Running::default(),
            cause: None,
            limit: Self::LIMIT,
            state: State::NONE,
            lifecycle: [None; Kinds::DISPATCHED.len()],
            made: Vec::new(),
            applied: 0,
            vtable: None,
            last_link: None,
            observer_commands: Queue::default(),
            world_commands: Queue::default(),
        }
    }
}

impl<C: 'static> Dispatch<C> {
    /// How many events may lead to each other, if the user has not said.
    const LIMIT: usize = 128;

    /// The number of a type of event, if it has had observers.
    #[inline]
    pub(crate) fn number<E: 'static>(&self, slot: Option<&'static TypeSlot<E>>) -> Option<u32> {
        // To look whether that is one of the list spares to do it when they are taken.
        Some(self.numbers.place(slot)).filter(|&number| (number as usize) < self.observers.len())
    }

    /// The number of a type of event.
    pub(crate) fn register<E: 'static, O: EventObservers<C>>(
        &mut self,
        slot: Option<&'static TypeSlot<E>>,
        make: impl FnOnce() -> O,
    ) -> u32 {
        self.numbers.register(slot, &mut self.observers, |_| ObserversPlace::new(type_name::<E>(), make()))
    }

    /// Notes that a type of event is that of a lifecycle event: the kinds that it is dispatched for.
    pub(crate) fn register_lifecycle(&mut self, number: u32, kinds: Kinds) {
        if let Some(at) = Kinds::DISPATCHED.iter().position(|&dispatched| dispatched == kinds) {
            self.lifecycle[at] = Some(number);
        }
    }

    /// The number of the type of lifecycle event with this place in [`Kinds::DISPATCHED`], if it has had observers.
    #[inline]
    pub(crate) fn lifecycle_number(&self, at: usize) -> Option<u32> {
        self.lifecycle[at]
    }

    /// The lifecycle events of a component that are observed, or of any.
    pub(super) fn observed(&self, component: Option<ComponentId>) -> Kinds {
        let is_watched = |number: u32| self.get(number).is_some_and(|observers| observers.watches(component));
        let all = self.lifecycle.iter().zip(Kinds::DISPATCHED);
        let observed = all.filter(|(number, _)| number.is_some_and(is_watched));
        observed.fold(Kinds::NONE, |observed, (_, kinds)| observed.union(kinds))
    }

    /// The observers of a type of event, which is not being told.
    pub(crate) fn of(&mut self, number: u32) -> Option<&mut dyn EventObservers<C>> {
        self.observers.get_mut(number as usize)?.get_mut()
    }

    /// The same, to look at.
    pub(crate) fn get(&self, number: u32) -> Option<&dyn EventObservers<C>> {
        self.observers.get(number as usize)?.get()
    }

    /// Whether an event is being told.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.state.intersects(State::RUNNING)
    }

    /// Whether an event that is triggered now is the outermost one, nothing has led to it, and nothing has been recorded before.
    #[inline(always)]
    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::NONE
    }

    /// Whether the observer that is running may have recorded something beside its parameters.
    #[inline(always)]
    pub(crate) fn has_world_commands(&self) -> bool {
        self.state.intersects(State::WORLD_COMMANDS)
    }

    /// Where it records that.
    pub(crate) fn world_commands(&mut self) -> &mut Queue<C> {
        self.state.set(State::WORLD_COMMANDS, true);
        &mut self.world_commands
    }

    /// Takes what it has recorded.
    pub(crate) fn take_world_commands(&mut self) -> Queue<C> {
        self.state.set(State::WORLD_COMMANDS, false);
        core::mem::take(&mut self.world_commands)
    }

    /// Whether commands may wait for the end of the outermost event.
    #[inline(always)]
    pub(crate) fn has_observer_commands(&self) -> bool {
        self.state.intersects(State::WAITING)
    }

    /// Has a command wait for the end of the outermost event.
    pub(crate) fn push_observer_commands(&mut self, command: impl FnOnce(&mut C) + Send + 'static) {
        self.state.set(State::WAITING, true);
        self.observer_commands.push(command);
    }

    /// Takes the commands that wait.
    pub(crate) fn take_observer_commands(&mut self) -> Queue<C> {
        self.state.set(State::WAITING, false);
        core::mem::take(&mut self.observer_commands)
    }

    /// Commands that have waited have been carried out: others can be recorded where they were.
    #[inline]
    pub(crate) fn reuse_observer_commands(&mut self, queue: &mut Queue<C>) {
        self.observer_commands.reuse(queue);
    }

    /// The same, of those that one observer or hook has recorded.
    #[inline]
    pub(crate) fn reuse_world_commands(&mut self, queue: &mut Queue<C>) {
        self.world_commands.reuse(queue);
    }

    /// The memory for commands that wait.
    pub(super) fn queued_bytes(&self) -> usize {
        self.observer_commands.allocated_bytes() + self.world_commands.allocated_bytes()
    }

    /// Sets how many events may lead to each other.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.note_limited();
    }

    fn note_limited(&mut self) {
        self.state.set(State::LIMITED, self.cause.is_some() || self.limit == 0);
    }

    /// Begins to dispatch an event, or to run a hook, that something has triggered. Ends with [`Dispatch::end`]. Returns false if too many
    /// events lead to it.
    #[inline(always)]
    pub(crate) fn begin(&mut self, name: &'static str, caller: Origin) -> bool {
        if self.state.intersects(State::MAY_LEAD) && !self.make_way() {
            return false;
        }
        self.running.innermost = (name, caller);
        self.state.set(State::RUNNING, true);
        true
    }

    /// Takes the observers of a type of event, which are an `O`, to notify them of one that something has triggered. Ends with
    /// [`Dispatch::end`]. If it returns `None`, [`Dispatch::why_not`] returns the reason.
    #[inline(always)]
    pub(crate) fn begin_event<E: 'static, O: EventObservers<C>>(
        &mut self,
        number: u32,
        caller: Origin,
    ) -> Option<TakenObservers<O>> {
        self.begin_with(number, type_name::<E>(), caller, ObserversPlace::take)
    }

    /// [`begin_event`](Self::begin_event) of a type of event that is known by its number only.
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
        // The observers are taken last: making way may run out of memory.
        if !self.begin(name, caller) {
            return None;
        }
        let taken = self.observers.get_mut(number as usize).and_then(take);
        if taken.is_none() {
            self.end();
        }
        taken
    }

    /// Returns false if the limit of depth is reached. Otherwise saves the running dispatch, if there is one, in [`Running::others`].
    #[cold]
    #[inline(never)]
    fn make_way(&mut self) -> bool {
        if self.depth() >= self.limit {
            return false;
        }
        if self.is_running() {
            self.running.others.push(self.running.innermost);
            self.state.set(State::NESTED, true);
        }
        true
    }

    /// The innermost dispatch has ended.
    #[inline(always)]
    pub(crate) fn end(&mut self) {
        if self.state == State::RUNNING {
            self.state = State::NONE;
        } else {
            self.end_nested();
        }
    }

    #[inline(never)]
    fn end_nested(&mut self) {
        match self.running.others.pop() {
            Some(outer) => self.running.innermost = outer,
            None => self.state.set(State::RUNNING, false),
        }
        self.state.set(State::NESTED, !self.running.others.is_empty());
    }

    /// Why the observers of an event are not notified.
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

    /// What has triggered the event that is being told.
    #[inline]
    pub(crate) fn caller(&self) -> Origin {
        if self.is_running() { self.running.innermost.1 } else { Origin::UNKNOWN }
    }

    /// The names of the events that are being told, from the outermost one on.
    fn names(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        let innermost = self.is_running().then_some(&self.running.innermost);
        self.running.others.iter().chain(innermost).map(|(name, _)| *name)
    }

    /// How many events have led to what happens now.
    #[inline]
    fn depth(&self) -> usize {
        self.names().count() + self.cause().map_or(0, |cause| cause.depth)
    }

    /// What has led to the commands that are being carried out.
    #[inline]
    fn cause(&self) -> Option<&Arc<Cause>> {
        self.cause.as_ref().filter(|cause| !cause.has_ended.load(Ordering::Relaxed))
    }

    /// The cause of what the running observer records.
    pub(crate) fn cause_of_commands(&self) -> Arc<Cause> {
        Arc::new(Cause {
            events: self.names().collect(),
            before: self.cause().cloned(),
            depth: self.depth(),
            has_ended: AtomicBool::new(false),
        })
    }

    /// Sets what has led to the commands that are carried out from now on, and returns what it was before.
    pub(crate) fn set_cause(&mut self, cause: Option<Arc<Cause>>) -> Option<Arc<Cause>> {
        let before = core::mem::replace(&mut self.cause, cause);
        self.note_limited();
        before
    }

    /// The names of events that led to one, shortened: the outermost and the innermost ones.
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

    /// Notes that an observer is one of a type of event.
    pub(crate) fn enter(&mut self, observer: usize, event: u32) {
        self.events.insert(observer, event);
    }

    /// Removes the observer with this number. None if there is no such observer.
    pub(crate) fn remove(&mut self, observer: usize, entities: &Entities) -> Option<RemovedObservers> {
        let event = self.events.remove(&observer)?;
        self.of(event)?.remove(observer, entities)
    }

    /// Whether an observer watches single entities.
    pub(crate) fn watch_entities(&self) -> bool {
        self.observers.iter().filter_map(ObserversPlace::get).any(|observers| observers.watch_entities())
    }

    /// Forgets of which type of event removed observers were.
    pub(crate) fn forget(&mut self, removed: &RemovedObservers) {
        removed.numbers.iter().for_each(|number| _ = self.events.remove(number));
    }

    /// Removes what watched only entities that are not alive, and gives spare memory back.
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

    /// Begins dispatches inside of each other. Returns whether each could begin.
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
        // What has been caused has ended, elsewhere perhaps.
        cause.end();
        assert_eq!(begin(&mut reactions, &["d", "e"]), [true, true]);
    }

    #[test]
    fn without_observers_nothing_is_observed() {
        let mut reactions = Dispatch::<()>::default();
        assert!(matches!(reactions.why_not(0), NotDispatched::Unobserved));
        assert!(reactions.begin_lifecycle(0, Origin::UNKNOWN).is_none() && reactions.is_idle());
        assert_eq!(reactions.observed(None), Kinds::NONE);
        assert_eq!(reactions.lifecycle_number(0), None);
    }
}
