//! The dispatch of lifecycle events to the hooks and observers of components.
//!
//! Tests: tests/storage/lifecycle.rs, tests/storage/hooks.rs

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cast::World;
use super::links::{end_linked, linking, note_ending, relink, rename_moved};
use crate::component::{ComponentId, DeferredWorld, HookContext, LifecycleMask};
use crate::structure::store::{CommandFailure, DispatchVTable, LifecycleEvents, NotDispatched, Store};
use crate::system::commands::{apply_observer_commands, defer_world_commands};
use crate::util::origin::Origin;
use crate::util::trace;

/// The dispatch functions of a store with hooks and observers.
pub(super) static OBSERVERS: DispatchVTable<Store> = vtable(dispatch);

/// The dispatch functions of a store that keeps links and notifies no listeners.
pub(super) static QUIET: DispatchVTable<Store> = vtable(|_, _| {});

const fn vtable(dispatch: fn(&mut Store, &LifecycleEvents)) -> DispatchVTable<Store> {
    let (apply, end, moved) = (apply_observer_commands, end_linked, rename_moved);
    DispatchVTable { dispatch, apply, unlink: note_ending, relink, linking, end, moved }
}

/// Delivers lifecycle events to hooks and observers, one event type after the other. For events before an operation,
/// observers run before hooks. For events after an operation, hooks run before observers.
fn dispatch(store: &mut Store, events: &LifecycleEvents) {
    let (pending, caller) = (events.kinds(), store.structure.entities.caller());
    for at in 0..LifecycleMask::DISPATCHED.len() {
        let kinds = LifecycleMask::DISPATCHED[at];
        if pending.intersects(kinds.union(kinds.hooks())) {
            deliver(store, events, at, pending, caller);
        }
    }
}

/// Delivers the events of one type. `at` is the index of the type in [`LifecycleMask::DISPATCHED`].
#[inline(never)]
fn deliver(store: &mut Store, events: &LifecycleEvents, at: usize, pending: LifecycleMask, caller: Origin) {
    let kinds = LifecycleMask::DISPATCHED[at];
    let (is_after, has_hooks) = (kinds.intersects(LifecycleMask::COMES), pending.intersects(kinds.hooks()));
    if is_after && has_hooks {
        run_hooks(store, events, kinds, caller);
    }
    if pending.intersects(kinds) {
        notify_observers(store, events, at, None, caller);
    }
    if !is_after && has_hooks {
        run_hooks(store, events, kinds, caller);
    }
}

/// Notifies the observers of one type of lifecycle event. `at` is the index of the type in
/// [`LifecycleMask::DISPATCHED`]. If `only` is given, only the observer with this number is notified.
#[inline(always)]
pub(crate) fn notify_observers(
    store: &mut Store,
    events: &LifecycleEvents,
    at: usize,
    only: Option<usize>,
    caller: Origin,
) {
    let Some(number) = store.events.dispatch.lifecycle_number(at) else { return };
    let Some(mut observers) = store.events.dispatch.begin_lifecycle(number, caller) else {
        report_not_dispatched(store, number);
        return;
    };
    let guard = DispatchGuard { store };
    observers.notify(events, LifecycleMask::DISPATCHED[at], only, guard.store);
    guard.end();
}

/// Reports that an event was not dispatched because the chain of events that led to it is too long. Returns false if
/// the reason is that an event of the same type is being dispatched; this is not reported.
#[cold]
pub(crate) fn report_not_dispatched(store: &mut Store, number: u32) -> bool {
    match store.events.dispatch.why_not(number) {
        NotDispatched::Busy => return false,
        NotDispatched::Unobserved => {}
        NotDispatched::TooDeep(event, chain) => {
            report_trigger(store, event, &alloc::format!("too many events led to it: {chain}"));
        }
    }
    true
}

/// Runs the hooks of one kind, component by component in the order of the events.
#[inline(never)]
fn run_hooks(store: &mut Store, events: &LifecycleEvents, kind: LifecycleMask, caller: Origin) {
    let (name, kinds) = (kind.hook_name(), kind.hooks());
    let mut done: Vec<ComponentId> = Vec::new();
    for id in events.batches(kinds).flat_map(|batch| batch.components()) {
        if done.contains(&id) {
            continue;
        }
        if !events.is_single() {
            done.push(id);
        }
        let Some(hook) = store.structure.archetypes.components.hook(id, kind) else { continue };
        if !store.events.dispatch.begin(name, caller) {
            let chain = store.events.dispatch.chain(name);
            report_trigger(store, name, &alloc::format!("too many events led to it: {chain}"));
            continue;
        }
        let guard = DispatchGuard { store };
        let _span = trace::hook(name, || guard.store.structure.archetypes.components.name(id));
        for batch in events.batches(kinds).filter(|batch| !batch.kinds_of(id).is_empty()) {
            batch.affected.for_each(guard.store, |store, entity| {
                let context = HookContext { entity, component_id: id, caller };
                hook(DeferredWorld::of(World::from_store_mut(store)), context);
                defer_world_commands(store);
            });
        }
        guard.end();
    }
}

/// A store during a dispatch, which has [begun](crate::store::Dispatch::begin). Dropping the guard ends the dispatch,
/// also if a listener panics.
pub(crate) struct DispatchGuard<'s> {
    pub(crate) store: &'s mut Store,
}

impl DispatchGuard<'_> {
    /// Ends the dispatch.
    #[inline(always)]
    pub(crate) fn end(self) {
        self.store.events.dispatch.end();
        core::mem::forget(self);
    }
}

impl Drop for DispatchGuard<'_> {
    /// Ends the dispatch after a listener has panicked. Commands that the listener has recorded directly are queued
    /// after those of the listeners before it. `end_after_panic` gets the store and not the guard, so that the guard
    /// stays in registers.
    #[inline(always)]
    fn drop(&mut self) {
        end_after_panic(self.store);
    }
}

#[cold]
#[inline(never)]
fn end_after_panic(store: &mut Store) {
    defer_world_commands(store);
    store.events.dispatch.end();
}

/// Reports to the error handler that some listeners of an event were not notified.
#[cold]
pub(crate) fn report_trigger(store: &mut Store, event: &'static str, reason: &str) {
    let by = store.structure.entities.caller();
    store.commands.errors.report("trigger", event, CommandFailure::Other(Arc::from(reason)), by);
}
