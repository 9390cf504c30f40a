//! The records of a system about the values that it has seen, and the delay of the system.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, ThreadId};

use strata_ecs::change::Tick;
use strata_ecs::prelude::*;

use super::parts::mix;

/// The values that the systems of one schedule have seen.
pub(crate) struct Seen {
    digests: Vec<AtomicU64>,
    /// Whether systems come late, at random; those that were added early more so.
    pub(crate) dawdle: bool,
    /// How many systems ran on another thread than the one that runs the schedule.
    pub(crate) helped: AtomicUsize,
    owner: ThreadId,
}

impl Seen {
    pub(crate) fn new(systems: usize, dawdle: bool) -> Arc<Self> {
        Arc::new(Self {
            digests: (0..systems).map(|_| AtomicU64::new(0)).collect(),
            dawdle,
            helped: AtomicUsize::new(0),
            owner: thread::current().id(),
        })
    }

    /// Returns a digest for each system of the values that it has seen so far, in order.
    pub(crate) fn digests(&self) -> Vec<u64> {
        self.digests.iter().map(|digest| digest.load(Relaxed)).collect()
    }
}

/// A system's own place among what all have seen. To write there is no conflict with another system, so it hides none.
#[derive(Clone)]
pub(crate) struct Probe {
    pub(crate) seen: Arc<Seen>,
    pub(crate) system: usize,
    /// Makes systems of one shape different from each other.
    pub(crate) seed: u64,
}

impl Probe {
    /// When the system begins: what it makes of what it sees.
    pub(crate) fn begin(&self) -> Digest<'_> {
        self.dawdle();
        if thread::current().id() != self.seen.owner {
            self.seen.helped.fetch_add(1, Relaxed);
        }
        Digest { probe: self, now: mix(self.seed, self.seen.digests[self.system].load(Relaxed)) }
    }

    /// Now and then in a loop: lets others go on.
    pub(crate) fn dawdle_seldom(&self, nth: u64) {
        if nth.is_multiple_of(8) {
            self.dawdle();
        }
    }

    /// Lets others go first, if they may.
    pub(crate) fn dawdle(&self) {
        if self.seen.dawdle {
            let later = self.seen.digests.len() - self.system;
            (0..random() % (later as u64 + 1).min(8)).for_each(|_| thread::yield_now());
        }
    }
}

/// A digest of the values that a system has seen in this run.
pub(crate) struct Digest<'a> {
    probe: &'a Probe,
    now: u64,
}

impl Digest<'_> {
    /// Takes something in, and returns a number that depends on it and on all before it.
    pub(crate) fn see(&mut self, number: u64) -> u64 {
        self.now = mix(self.now, number);
        self.now
    }

    pub(crate) fn entity(&mut self, entity: Entity) -> u64 {
        self.see(entity.to_bits())
    }

    pub(crate) fn ticks(&mut self, value: &impl DetectChanges) -> u64 {
        self.see(u64::from(value.is_added()) * 2 + u64::from(value.is_changed()));
        self.tick(value.added());
        self.tick(value.last_changed())
    }

    fn tick(&mut self, tick: Tick) -> u64 {
        self.see(u64::from(tick.get()))
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }
}

impl Drop for Digest<'_> {
    fn drop(&mut self) {
        self.probe.seen.digests[self.probe.system].store(self.now, Relaxed);
    }
}

/// Another number each time, in each thread and in each run of the test.
fn random() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(0));
    }
    STATE.with(|state| {
        state.set(mix(state.get(), 1));
        state.get() >> 8
    })
}
