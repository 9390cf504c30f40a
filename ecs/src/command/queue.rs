//! Recorded commands, and applying them.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::origin::Origin;
use crate::queue::Queue;
use crate::store::{Cause, SavedCaller, Store, TargetWorld, is_busy, run_queue, take_returned};
use crate::trace;

/// Commands that wait to be applied. Dropping the queue drops them.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let mut queue = CommandQueue::default();
/// let entity = Commands::new(&mut queue, &world).spawn(Health(3)).id();
/// assert!(!world.contains(entity));
/// queue.apply(&mut world);
/// assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
/// ```
#[derive(Default)]
#[doc(alias("EntityCommandBuffer", "CommandBuffer", "Playback"))]
pub struct CommandQueue {
    pub(crate) queue: Queue<Store>,
}

impl CommandQueue {
    /// Whether no command waits.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let world = World::new();
    /// let mut queue = CommandQueue::default();
    /// assert!(queue.is_empty());
    /// Commands::new(&mut queue, &world).spawn_empty();
    /// assert!(!queue.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Takes over the commands of another queue, behind its own.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let [mut first, mut second] = [CommandQueue::default(), CommandQueue::default()];
    /// Commands::new(&mut first, &world).spawn_empty();
    /// Commands::new(&mut second, &world).spawn_empty();
    /// first.append(&mut second);
    /// assert!(second.is_empty());
    /// first.apply(&mut world);
    /// assert_eq!(world.len(), 2);
    /// ```
    pub fn append(&mut self, other: &mut Self) {
        self.queue.append(&mut other.queue);
    }

    /// Records what the caller does, outside of a system.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn record(&mut self, operation: impl FnOnce(&mut Store) + Send + 'static) {
        self.queue.record_as(Origin::here(Origin::default().system_name()));
        self.queue.push(operation);
    }
}

impl fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandQueue").field("is_empty", &self.is_empty()).finish()
    }
}

/// Applies a queue, and then what its commands have queued in turn: in a loop, so that commands that queue commands
/// need memory, not stack. While an event is told they wait until that has ended. If a command panics, the rest of the queue are
/// dropped; if a subscriber of the span does before the first one, all of them are.
pub(crate) fn apply(queue: &mut Queue<Store>, store: &mut Store, system: Option<&'static str>) {
    /// Commands that were waiting in the store before are not the system's. They come after its own, and before what
    /// those have queued; they stay if one of those panics.
    struct QueueGuard<'a> {
        store: &'a mut Store,
        recorded: &'a mut Queue<Store>,
        queue: Queue<Store>,
        before: Option<&'static str>,
        /// Where the commands belong, as soon as one of them might put another world in the place of this one.
        target_world: Option<TargetWorld>,
    }

    impl Drop for QueueGuard<'_> {
        fn drop(&mut self) {
            if let Some(target_world) = self.target_world.as_ref().filter(|target_world| !target_world.is(self.store)) {
                return target_world.send_waiting(&mut self.queue, self.before);
            }
            self.store.commands.errors.system = self.before;
            if !self.queue.is_empty() {
                self.queue.append(&mut self.store.commands.queue);
                core::mem::swap(&mut self.queue, &mut self.store.commands.queue);
            }
            if !self.recorded.is_empty() {
                // None of them has run. Their entities have been promised all the same.
                self.store.structure.make_reserved_pending();
                self.store.place_pending();
                drop(self.recorded.start());
            }
        }
    }

    if store.events.dispatch.is_running() {
        return defer(core::mem::take(queue), store, system);
    }
    // Ends after what waits is back in the store: its end is user code, too.
    let mut _span = None;
    take_returned(store);
    let waiting = core::mem::take(&mut store.commands.queue);
    let before = core::mem::replace(&mut store.commands.errors.system, system);
    let mut waiting = QueueGuard { store, recorded: queue, queue: waiting, before, target_world: None };
    _span = Some(trace::commands(system));
    run(waiting.recorded, waiting.store, &mut waiting.target_world);
    if !waiting.queue.is_empty()
        && waiting.target_world.as_ref().is_none_or(|target_world| target_world.is(waiting.store))
    {
        let mut first = core::mem::take(&mut waiting.queue);
        waiting.store.commands.errors.system = before;
        run(&mut first, waiting.store, &mut waiting.target_world);
        if waiting.target_world.as_ref().is_none_or(|target_world| target_world.is(waiting.store)) {
            waiting.store.commands.errors.system = system;
        }
    }
    flush_own_queue(waiting.store);
}

/// Applies the commands that waited for the end of a frame, which has ended. Those that they queue in turn wait for the next one. If a command panics the
/// others wait, too, and so do they if it puts another world in the place of this one.
#[cold]
pub(crate) fn apply_after_frame(store: &mut Store) {
    let world = store.id();
    for _ in 0..store.commands.after_frame.len() {
        if is_busy(store) {
            return;
        }
        let Some(mut queue) = store.commands.after_frame.pop_front() else { return };
        apply(&mut queue, store, None);
        if store.id() != world {
            return;
        }
    }
}

/// Has commands of an observer wait until the outermost event has been told, with what led to them.
#[cold]
fn defer(mut queue: Queue<Store>, store: &mut Store, system: Option<&'static str>) {
    /// What happens in the meantime has a cause. In the end it has the one before, unless the store is elsewhere.
    struct Caused<'a> {
        store: &'a mut Store,
        target_world: TargetWorld,
        cause: Arc<Cause>,
        before: Option<Arc<Cause>>,
        system_before: Option<&'static str>,
    }

    impl Drop for Caused<'_> {
        fn drop(&mut self) {
            self.cause.end();
            if self.target_world.is(self.store) {
                self.store.events.dispatch.set_cause(self.before.take());
                self.store.commands.errors.system = self.system_before;
            }
        }
    }

    if queue.is_empty() {
        return;
    }
    let cause = store.events.dispatch.cause_of_commands();
    store.events.dispatch.push_observer_commands(move |store: &mut Store| {
        store.place_pending();
        let before = store.events.dispatch.set_cause(Some(Arc::clone(&cause)));
        let system_before = core::mem::replace(&mut store.commands.errors.system, system);
        let caused = Caused { target_world: TargetWorld::new(store), store, cause, before, system_before };
        run(&mut queue, caused.store, &mut None);
        caused.store.events.dispatch.reuse_world_commands(&mut queue);
        if caused.target_world.is(caused.store) {
            caused.store.structure.make_reserved_pending();
        }
    });
}

/// The observer that was running has finished: what it has recorded beside its parameters waits with the rest.
#[inline]
pub(crate) fn defer_world_commands(store: &mut Store) {
    if store.events.dispatch.has_world_commands() {
        defer_world_commands_now(store);
    }
}

// It stands apart, so that what mostly has nothing to do keeps its registers.
#[cold]
#[inline(never)]
fn defer_world_commands_now(store: &mut Store) {
    let queue = store.events.dispatch.take_world_commands();
    defer(queue, store, None);
}

/// The outermost event has been told: applies the commands of its observers, and of those that these commands lead to.
#[inline]
pub(crate) fn apply_observer_commands(store: &mut Store) {
    if store.events.dispatch.has_observer_commands() {
        apply_recorded(store);
    }
}

#[cold]
#[inline(never)]
fn apply_recorded(store: &mut Store) {
    while !store.events.dispatch.is_running() && store.events.dispatch.has_observer_commands() {
        let mut queue = store.events.dispatch.take_observer_commands();
        store.events.dispatch.applied += 1;
        run(&mut queue, store, &mut None);
        store.events.dispatch.reuse_observer_commands(&mut queue);
    }
}

/// Applies the commands that wait in the store itself, until there are none. Those of observers come first: they wait if one has
/// panicked.
pub(crate) fn flush_own_queue(store: &mut Store) {
    apply_observer_commands(store);
    take_returned(store);
    while !store.commands.queue.is_empty() {
        let mut queue = core::mem::take(&mut store.commands.queue);
        run(&mut queue, store, &mut None);
        take_returned(store);
    }
}

fn run(queue: &mut Queue<Store>, store: &mut Store, target_world: &mut Option<TargetWorld>) {
    store.structure.make_reserved_pending();
    // Also if a command panics: an id that was given out belongs to an entity.
    struct PlacePending<'a> {
        store: &'a mut Store,
        target_world: &'a mut Option<TargetWorld>,
        /// The origin of operations before the commands.
        caller: SavedCaller,
        /// Whether no command has panicked.
        has_ended: bool,
    }
    impl Drop for PlacePending<'_> {
        fn drop(&mut self) {
            if let Some(target_world) = self.target_world.as_ref().filter(|target_world| !target_world.is(self.store)) {
                // The ids are pending in their own world, where these commands are the next to be applied.
                return target_world.send_pending(Vec::new());
            }
            if !self.has_ended {
                self.caller.restore(self.store);
                // If there is no memory the next flush does it. Another panic would end the process.
                let _ = self.store.try_place_pending();
            }
        }
    }
    let mut place = PlacePending { caller: SavedCaller::save(store), store, target_world, has_ended: false };
    run_queue(place.store, queue, place.target_world);
    place.has_ended = true;
    if place.target_world.as_ref().is_none_or(|target_world| target_world.is(place.store)) {
        place.caller.restore(place.store);
        place.store.place_pending();
    }
}
