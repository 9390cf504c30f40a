//! Where commands belong that were recorded for a world.
//!
//! A command may be any function of the world, so it may put another world in the place of the one for which the commands behind it
//! were recorded. Those come back to their own world, wherever that is by then: they wait in it for the next commands that are
//! applied there.
//!
//! Each queue of a system knows its target_world, and so does each queue that is being carried out as soon as one of its commands is
//! a function of the world. What a run sets in a world for its duration is set back through an `Arc` (`SharedClock`). If a
//! value is made of a world (`FromWorld`) nothing tells which of the two worlds is meant, so an exchange there is a panic.

use alloc::vec::Vec;

use super::pending_commands::Returned;
use super::{Store, WorldId};
use crate::entity::Entity;
use crate::mailbox::Sender;
use crate::queue::Queue;

/// Where the commands belong that were recorded for a store.
pub(crate) struct TargetWorld {
    world: WorldId,
    mailbox: Sender<Returned<Store>>,
}

impl TargetWorld {
    pub(crate) fn new(store: &Store) -> Self {
        Self { world: store.id, mailbox: store.commands.returned.sender() }
    }

    /// Whether the store is the one that the commands were recorded for.
    #[inline]
    pub(crate) fn is(&self, store: &Store) -> bool {
        self.world == store.id()
    }

    /// Sends the commands of a system back. They are dropped if their world is.
    #[cold]
    pub(crate) fn send(&self, queue: &mut Queue<Store>, system: Option<&'static str>) {
        if !queue.is_empty() {
            drop(self.mailbox.send(Returned { queue: core::mem::take(queue), system, before: None, deferral: None }));
        }
    }

    /// Sends back what waited while the commands of a system were applied, `before` which those of another one were.
    #[cold]
    pub(crate) fn send_waiting(&self, queue: &mut Queue<Store>, before: Option<&'static str>) {
        let queue = core::mem::take(queue);
        drop(self.mailbox.send(Returned { queue, system: before, before: Some(before), deferral: None }));
    }
}

impl TargetWorld {
    /// Sends back ids that have been promised to commands. They are placed when commands are applied there, or by a flush.
    #[cold]
    pub(crate) fn send_pending(&self, mut ids: Vec<Entity>) {
        let mut queue = Queue::default();
        queue.push(move |store: &mut Store| store.structure.pending.append(&mut ids));
        drop(self.mailbox.send(Returned { queue, system: None, before: None, deferral: None }));
    }

    /// Notes that a scope which deferred the events of the store has ended elsewhere.
    #[cold]
    pub(crate) fn end_deferral(&self, has_ended: bool) {
        let mut queue = Queue::default();
        queue.push(Store::flush_events);
        drop(self.mailbox.send(Returned { queue, system: None, before: None, deferral: Some(has_ended) }));
    }
}

/// Puts commands that have come back before those that wait.
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
    // Their application ended elsewhere.
    if let Some(before) = returned.iter().rev().find_map(|returned| returned.before) {
        store.commands.errors.system = before;
    }
    let now = store.commands.errors.system;
    let mut first = Queue::default();
    for Returned { mut queue, system, deferral, .. } in returned {
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
