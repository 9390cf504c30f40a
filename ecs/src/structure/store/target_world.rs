//! Returns recorded commands to the world that they were recorded for.
//!
//! A command can be any function of the world, so it may replace the world for which the later commands of the queue were recorded. Those
//! commands are sent back to their own world, even if it has been moved, and are applied with its next commands.
//!
//! Each system queue has a [`TargetWorld`]. Another queue that is being applied gets one as soon as one of its commands is a function of
//! the world. State that a run sets in a world for its duration is restored through an `Arc` (`SharedClock`). While a value is constructed
//! by `FromWorld` there is no way to tell which of the two worlds is meant, so exchanging worlds there panics.
//!
//! Tests: tests/hazards/exchanged_worlds.rs

use alloc::vec::Vec;

use super::pending_commands::ReturnedCommands;
use super::{Store, WorldId};
use crate::entity::Entity;
use crate::structure::queue::Queue;
use crate::util::mailbox::Sender;

/// The world that commands were recorded for.
pub(crate) struct TargetWorld {
    world: WorldId,
    mailbox: Sender<ReturnedCommands<Store>>,
}

impl TargetWorld {
    pub(crate) fn new(store: &Store) -> Self {
        Self { world: store.id, mailbox: store.commands.returned.sender() }
    }

    /// Returns whether this is the store that the commands were recorded for.
    #[inline]
    pub(crate) fn is(&self, store: &Store) -> bool {
        self.world == store.id()
    }

    /// Sends the commands of a system back. If their world has been dropped, the commands are dropped.
    #[cold]
    pub(crate) fn send(&self, queue: &mut Queue<Store>, system: Option<&'static str>) {
        if !queue.is_empty() {
            drop(self.mailbox.send(ReturnedCommands {
                queue: core::mem::take(queue),
                system,
                before: None,
                deferral: None,
            }));
        }
    }

    /// Sends back the commands that were pending while a system's commands were applied. `before` is the system whose commands were being
    /// applied before that.
    #[cold]
    pub(crate) fn send_waiting(&self, queue: &mut Queue<Store>, before: Option<&'static str>) {
        let queue = core::mem::take(queue);
        drop(self.mailbox.send(ReturnedCommands { queue, system: before, before: Some(before), deferral: None }));
    }
}

impl TargetWorld {
    /// Sends back ids that are reserved for commands. They are placed when their world applies commands, or by a flush.
    #[cold]
    pub(crate) fn send_pending(&self, mut ids: Vec<Entity>) {
        let mut queue = Queue::default();
        queue.push(move |store: &mut Store| store.structure.pending.append(&mut ids));
        drop(self.mailbox.send(ReturnedCommands { queue, system: None, before: None, deferral: None }));
    }

    /// Notes that a scope which deferred the events of a store has ended while another store was in the place of this store.
    #[cold]
    pub(crate) fn end_deferral(&self, has_ended: bool) {
        let mut queue = Queue::default();
        queue.push(Store::flush_events);
        drop(self.mailbox.send(ReturnedCommands { queue, system: None, before: None, deferral: Some(has_ended) }));
    }
}

/// Puts the commands that have been sent back before the pending commands of the store.
#[inline]
pub(crate) fn take_returned(store: &mut Store) {
    if !store.commands.returned.is_empty() {
        put_returned_first(store);
    }
}

#[cold]
#[inline(never)]
fn put_returned_first(store: &mut Store) {
    let returned = store.commands.returned.take();
    // The returned commands were being applied when the world was exchanged for another one. The system to which errors were attributed
    // before is restored.
    if let Some(before) = returned.iter().rev().find_map(|returned| returned.before) {
        store.commands.errors.system = before;
    }
    let now = store.commands.errors.system;
    let mut first = Queue::default();
    for ReturnedCommands { mut queue, system, deferral, .. } in returned {
        if let Some(has_ended) = deferral {
            store.events.pending.mark_stale();
            store.events.end_scope(has_ended, &store.structure.archetypes.tables);
        }
        if !queue.is_empty() {
            first.push(move |store: &mut Store| store.commands.errors.system = system);
            first.append(&mut queue);
        }
    }
    if !first.is_empty() {
        first.push(move |store: &mut Store| store.commands.errors.system = now);
    }
    first.append(&mut store.commands.queue);
    store.commands.queue = first;
}
