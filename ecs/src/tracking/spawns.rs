//! When entities were spawned.

use alloc::vec::Vec;

use crate::alloc_error::{try_reserve, try_shrink};
use crate::tick::{RunTicks, Tick};

/// The ticks at which entities were spawned, by index: kept from the moment on at which a query asks for them.
#[derive(Clone, Debug)]
pub(crate) struct Spawns {
    ticks: Vec<Tick>,
    /// Of those behind the end: they were there already, or there was no memory for them.
    others: Tick,
    newest: Tick,
}

impl Spawns {
    /// All entities that are there were spawned now at the latest.
    pub(crate) fn since(now: Tick) -> Self {
        Self { ticks: Vec::new(), others: now, newest: now }
    }

    /// Notes that the entity with this index was spawned. Without memory for it, it counts as spawned together with all that were there
    /// before: these may come again, and none is missed.
    pub(crate) fn note(&mut self, index: u32, now: Tick) {
        self.newest = now;
        let index = index as usize;
        if index >= self.ticks.len() {
            let more = index + 1 - self.ticks.len();
            if try_reserve(&mut self.ticks, more).is_err() {
                self.others = now;
                return;
            }
            self.ticks.resize(index + 1, self.others);
        }
        self.ticks[index] = now;
    }

    /// As they were at another time: by index, of those behind the end, and the newest.
    pub(crate) fn of(ticks: Vec<Tick>, others: Tick, newest: Tick) -> Self {
        Self { ticks, others, newest }
    }

    /// All of that.
    pub(crate) fn parts(&self) -> (&[Tick], Tick, Tick) {
        (&self.ticks, self.others, self.newest)
    }

    /// When the entity with this index was spawned.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Tick {
        self.ticks.get(index as usize).copied().unwrap_or(self.others)
    }

    /// Whether any entity was spawned that a run has not seen.
    #[inline]
    pub(crate) fn has_new(&self, run_ticks: RunTicks) -> bool {
        run_ticks.is_new(self.newest)
    }

    /// Brings ticks that are too old to be told from older ones forward.
    pub(crate) fn clamp(&mut self, now: Tick) {
        self.ticks.iter_mut().chain([&mut self.others, &mut self.newest]).for_each(|tick| *tick = tick.clamped(now));
    }

    /// Forgets what is known of indexes from this one on: none of them is alive.
    pub(crate) fn shrink_to(&mut self, indexes: usize) {
        self.ticks.truncate(indexes);
        try_shrink(&mut self.ticks);
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.ticks.capacity() * size_of::<Tick>()
    }
}
