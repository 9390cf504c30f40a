//! The ticks at which entities were spawned.
//!
//! Tests: tests/changes/spawned.rs

use alloc::vec::Vec;

use crate::storage::tick::{RunTicks, Tick};
use crate::util::alloc_error::{try_reserve, try_shrink};

/// The spawn tick of each entity index, tracked from the moment at which a query requests it.
#[derive(Clone, Debug)]
pub(crate) struct Spawns {
    ticks: Vec<Tick>,
    /// The tick of indexes past the end of `ticks`: entities that existed before, or for which the allocation failed.
    others: Tick,
    newest: Tick,
}

impl Spawns {
    /// Begins to track. All existing entities count as spawned at `now`.
    pub(crate) fn since(now: Tick) -> Self {
        Self { ticks: Vec::new(), others: now, newest: now }
    }

    /// Records that the entity with this index was spawned. If the allocation fails, all entities without a tick of their own count
    /// as spawned now: queries may yield older ones again, but miss none.
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

    /// Restores a saved state: the ticks by index, the tick of indexes past the end, and the newest tick.
    pub(crate) fn of(ticks: Vec<Tick>, others: Tick, newest: Tick) -> Self {
        Self { ticks, others, newest }
    }

    /// The state, as the arguments of [`of`](Self::of).
    pub(crate) fn parts(&self) -> (&[Tick], Tick, Tick) {
        (&self.ticks, self.others, self.newest)
    }

    /// The tick at which the entity with this index was spawned.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Tick {
        self.ticks.get(index as usize).copied().unwrap_or(self.others)
    }

    /// Whether any entity was spawned since the last run.
    #[inline]
    pub(crate) fn has_new(&self, run_ticks: RunTicks) -> bool {
        run_ticks.is_new(self.newest)
    }

    /// Clamps ticks that are older than the oldest distinguishable age.
    pub(crate) fn clamp(&mut self, now: Tick) {
        self.ticks.iter_mut().chain([&mut self.others, &mut self.newest]).for_each(|tick| *tick = tick.clamped(now));
    }

    /// Removes the ticks of the indexes from `indexes` on, none of which belongs to a live entity.
    pub(crate) fn shrink_to(&mut self, indexes: usize) {
        self.ticks.truncate(indexes);
        try_shrink(&mut self.ticks);
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.ticks.capacity() * size_of::<Tick>()
    }
}
