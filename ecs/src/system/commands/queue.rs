//! Queues of recorded commands, and their application.
//!
//! Tests: tests/commands/groups/queue.rs

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::structure::queue::Queue;
use crate::structure::store::{Cause, SavedCaller, Store, TargetWorld, is_busy, run_queue, take_returned};
use crate::util::origin::Origin;
use crate::util::trace;

/// Recorded commands. Dropping the queue drops the commands without applying them.
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
    /// Returns whether the queue has no commands.
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

    /// Moves the commands of another queue to the end of this one.
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

    /// Records an operation outside of a system. The caller is the origin of the operation.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn record(&mut self, operation: impl FnOnce(&mut Store) + Send + 'static) {
        self.queue.record_as(Origin::here(Origin::default().system_name()));
        self.queue.push(operation);
    }
}

impl_debug!([] CommandQueue => |this, f| f.debug_struct("CommandQueue").field("is_empty", &this.is_empty()).finish());

/// Applies a queue, and then the commands that its commands have queued. This is a loop, so commands that queue
/// commands use memory, not stack. During a dispatch, the queue is deferred until the end of the dispatch. If a command
/// panics, the rest of the queue is dropped. If a subscriber of the span panics before the first command, the whole
/// queue is dropped.
pub(crate) fn apply(queue: &mut Queue<Store>, store: &mut Store, system: Option<&'static str>) {
    /// Holds the commands that were already waiting in the store and do not belong to the system. They are applied
    /// after the system's own commands, and before the commands that the system's commands have queued. If one of the
    /// system's commands panics, the waiting commands stay in the store.
    struct QueueGuard<'a> {
        store: &'a mut Store,
        recorded: &'a mut Queue<Store>,
        queue: Queue<Store>,
        before: Option<&'static str>,
        /// The world that the commands belong to, set before a command runs that may replace the world.
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
                // None of the recorded commands has run. Their entities must still be spawned, because their ids have been given out.
                self.store.structure.make_reserved_pending();
                self.store.place_pending();
                drop(self.recorded.start());
            }
        }
    }

    if store.events.dispatch.is_running() {
        return defer(core::mem::take(queue), store, system);
    }
    // `_span` is declared first, so that it ends after the waiting commands are back in the store: ending a span runs user code.
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

/// Applies the commands that waited for the end of the frame that has just ended. Commands that they queue for the end
/// of a frame wait for the next frame. If a command panics or replaces the world, the remaining commands keep waiting.
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

/// Defers commands of an observer until the outermost dispatch has ended. Their cause is kept with them.
#[cold]
fn defer(mut queue: Queue<Store>, store: &mut Store, system: Option<&'static str>) {
    /// While the commands run, events have this cause. On drop, the previous cause is restored, unless the world has
    /// been replaced.
    struct CauseGuard<'a> {
        store: &'a mut Store,
        target_world: TargetWorld,
        cause: Arc<Cause>,
        before: Option<Arc<Cause>>,
        system_before: Option<&'static str>,
    }

    impl Drop for CauseGuard<'_> {
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
        let caused = CauseGuard { target_world: TargetWorld::new(store), store, cause, before, system_before };
        run(&mut queue, caused.store, &mut None);
        caused.store.events.dispatch.reuse_world_commands(&mut queue);
        if caused.target_world.is(caused.store) {
            caused.store.structure.make_reserved_pending();
        }
    });
}

/// Called when an observer has finished. Defers the commands that the observer recorded through the world, and not
/// through its parameters.
#[inline]
pub(crate) fn defer_world_commands(store: &mut Store) {
    if store.events.dispatch.has_world_commands() {
        defer_world_commands_now(store);
    }
}

// A separate function, so that callers with nothing to do keep their registers.
#[cold]
#[inline(never)]
fn defer_world_commands_now(store: &mut Store) {
    let queue = store.events.dispatch.take_world_commands();
    defer(queue, store, None);
}

/// Called when the outermost dispatch has ended. Applies the commands of the observers of this dispatch, and the
/// commands that these lead to.
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
        run(&mut queue, store, &mut None);
        store.events.dispatch.reuse_observer_commands(&mut queue);
    }
}

/// Applies the commands that wait in the store itself, until none is left. Commands of observers come first: some are
/// left if an observer has panicked.
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
    // The guard places pending ids even if a command panics, because every id that was given out must belong to an entity.
    struct PlacePending<'a> {
        store: &'a mut Store,
        target_world: &'a mut Option<TargetWorld>,
        /// The origin that operations had before the commands were applied.
        caller: SavedCaller,
        /// Whether no command has panicked.
        has_ended: bool,
    }
    impl Drop for PlacePending<'_> {
        fn drop(&mut self) {
            if let Some(target_world) = self.target_world.as_ref().filter(|target_world| !target_world.is(self.store)) {
                // The world was exchanged for another one. The ids are pending in their own world, where the remaining commands are applied
                // next.
                return target_world.send_pending(Vec::new());
            }
            if !self.has_ended {
                self.caller.restore(self.store);
                // If memory allocation fails, the next flush places the ids. Another panic would abort the process.
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
