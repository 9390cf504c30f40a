//! The queue of the units of a stage that are ready to run.
//!
//! A unit is ready when all units before it have finished. The owner of a stage and its helpers take ready units, the
//! earliest first. A helper that finds no ready unit leaves, and is called again when there are more. Only the owner
//! waits, and only while another thread runs a unit. So the thread that finishes the last running unit wakes it.
//!
//! Units wait for each other along the order of the steps, which has no cycle. So as long as any unit is left, a unit
//! is ready or running. If a unit panics, the queue stops: no more units are taken, the running ones finish, and the
//! panic is resumed on the thread of the schedule. The lock is held only for a few operations on the state, never while
//! a system runs.
//!
//! Tests: tests/loom/ready_queue_model.rs

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::sync::{Condvar, Mutex, MutexGuard};

/// A unit that the calling thread has taken and has to run now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReadyUnit {
    /// The number of the unit.
    pub(super) unit: u32,
    /// The number of other units that are ready for any thread.
    pub(super) more: usize,
}

/// The units of a stage and their progress.
pub(super) struct ReadyQueue<'a> {
    state: Mutex<QueueState>,
    /// Notified when something has happened that the owner may be waiting for.
    changed: Condvar,
    /// For each unit: the units that wait for it.
    successors: &'a [Vec<u32>],
    /// For each unit: whether only the owner may run it.
    owners: &'a [bool],
}

struct QueueState {
    /// For each unit: the number of unfinished units that have to finish before it.
    waiting: Vec<u32>,
    /// The units that are ready for any thread.
    ready: BinaryHeap<Reverse<u32>>,
    /// The units that are ready for the owner only.
    of_owner: BinaryHeap<Reverse<u32>>,
    /// The number of units that have been taken and have not finished.
    running: usize,
    /// The number of units that have not been taken.
    left: usize,
    owner_waits: bool,
    stopped: bool,
}

impl<'a> ReadyQueue<'a> {
    /// Creates a queue of all units. `waiting` contains the number of predecessors of each unit.
    pub(super) fn new(waiting: Vec<u32>, successors: &'a [Vec<u32>], owners: &'a [bool]) -> Self {
        let mut state = QueueState {
            left: waiting.len(),
            waiting,
            ready: BinaryHeap::new(),
            of_owner: BinaryHeap::new(),
            running: 0,
            owner_waits: false,
            stopped: false,
        };
        for unit in 0..state.waiting.len() as u32 {
            if state.waiting[unit as usize] == 0 {
                state.add_ready(unit, owners);
            }
        }
        Self { state: Mutex::new(state), changed: Condvar::new(), successors, owners }
    }

    /// Takes the next unit to run. Returns `None` if this thread has nothing to do: for the owner, if all units have
    /// been taken; for a helper, if no unit is ready.
    pub(super) fn take(&self, is_owner: bool) -> Option<ReadyUnit> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            let own = if is_owner { state.of_owner.pop() } else { None };
            if let Some(Reverse(unit)) = own.or_else(|| state.ready.pop()) {
                state.running += 1;
                state.left -= 1;
                return Some(ReadyUnit { unit, more: state.ready.len() });
            }
            if !is_owner || state.left == 0 {
                return None;
            }
            // Units are left, but none is ready. The order has no cycles, so some unit must be running.
            debug_assert!(state.running > 0, "units wait for each other");
            state.owner_waits = true;
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            state.owner_waits = false;
        }
    }

    /// Records that a unit has finished. Units that waited for it may become ready.
    pub(super) fn finish(&self, unit: u32) {
        let mut state = self.lock();
        state.running -= 1;
        for next in &self.successors[unit as usize] {
            let waiting = &mut state.waiting[*next as usize];
            *waiting -= 1;
            if *waiting == 0 {
                state.add_ready(*next, self.owners);
            }
        }
        // The calling thread takes one of the units that are ready for any thread, so the owner is woken only for more.
        let is_wanted = !state.of_owner.is_empty() || state.ready.len() > 1 || state.running == 0;
        if state.owner_waits && is_wanted {
            self.changed.notify_one();
        }
    }

    /// Stops the queue: no more units are taken.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        state.running -= 1;
        if state.owner_waits {
            self.changed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No code panics while it holds the lock, so a poisoned state is consistent.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl QueueState {
    fn add_ready(&mut self, unit: u32, owners: &[bool]) {
        if owners[unit as usize] { self.of_owner.push(Reverse(unit)) } else { self.ready.push(Reverse(unit)) }
    }
}
