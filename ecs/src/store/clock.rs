//! The runs of a world, counted.

use alloc::sync::Arc;
use core::ops::Deref;
use core::sync::atomic::Ordering::{Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU64};

use crate::origin::{Origin, OriginCell};
use crate::tick::{LastRun, Tick, TickCell};

/// What a run has to reach of its world in the end, wherever that has been put meanwhile.
pub(crate) struct SharedClock {
    /// The number of the next run.
    pub(crate) tick: TickCell,
    /// The tick after which changes are new outside of systems.
    pub(crate) last: TickCell,
    /// The origin of operations before a run that has ended elsewhere, until the world has taken notice of it.
    pub(super) by: OriginCell,
    pub(super) has_ended: AtomicBool,
}

impl SharedClock {
    /// Says what the origin of operations was before.
    #[cold]
    pub(super) fn end(&self, by: Origin) {
        self.by.set(by);
        self.has_ended.store(true, Release);
    }
}

/// The runs of a world.
pub(super) struct Clock {
    pub(super) shared: Arc<SharedClock>,
    /// When all ticks were looked at last, and how often that has happened.
    pub(super) checked: Tick,
    pub(super) era: u32,
    /// How often ticks have gone back. It only grows.
    pub(super) restores: u64,
    /// Runs that have the whole world to look at, and are going on.
    pub(super) onlookers: Onlookers,
}

impl Default for Clock {
    fn default() -> Self {
        let (tick, last) = (Tick::new(1), Tick::new(0));
        let onlookers = Onlookers::default();
        let shared = SharedClock {
            tick: TickCell::new(tick),
            last: TickCell::new(last),
            by: OriginCell::default(),
            has_ended: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared), checked: last, era: 0, restores: 0, onlookers }
    }
}

/// How many runs have the whole world to look at and are going on, and the latest tick of all that have begun.
///
/// While there are any, nothing is changed: what changes a value is in the way of all of them. So between the ticks of two that
/// go on at the same time, or of which the later one comes first, there is none of a run that changes anything, and one tick
/// serves for all: what was changed before has happened at that tick at the latest, and what will be changed happens later.
/// The tick never goes back to that of a run which begins behind one of a later tick: for a state that has been used at the
/// later one, everything would be new again.
#[derive(Default)]
pub(super) struct Onlookers(AtomicU64);

impl Onlookers {
    /// The number of runs is in the upper half, so that they can leave in any order.
    const ONE: u64 = 1 << 32;

    /// The tick, if there are any.
    pub(super) fn tick(&self) -> Option<Tick> {
        let state = self.0.load(Relaxed);
        (state >= Self::ONE).then_some(Tick::new(state as u32))
    }

    /// A run has begun. It goes on until what is returned is dropped.
    pub(super) fn enter(&self, tick: Tick) -> Onlooker<'_> {
        let entered = |state: u64| {
            // Ticks that are compared are close to each other: `forget` is called each time all ticks are looked at.
            let latest = Tick::new(state as u32);
            let is_later = tick.get().wrapping_sub(latest.get()).cast_signed() > 0;
            let tick = if is_later { tick } else { latest };
            Some(((state / Self::ONE + 1) * Self::ONE) | u64::from(tick.get()))
        };
        let _ = self.0.fetch_update(Relaxed, Relaxed, entered);
        Onlooker(self)
    }

    /// Runs that begin from now on have this tick or later ones, and none is going on.
    pub(super) fn forget(&mut self, now: Tick) {
        *self.0.get_mut() = u64::from(now.get());
    }
}

/// A run that has the whole world to look at.
pub(crate) struct Onlooker<'a>(&'a Onlookers);

impl Drop for Onlooker<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(Onlookers::ONE, Relaxed);
    }
}

impl Deref for Clock {
    type Target = SharedClock;

    #[inline]
    fn deref(&self) -> &SharedClock {
        &self.shared
    }
}

/// How eras have gone on while ticks went back.
#[derive(Clone, Copy)]
pub(crate) struct RestoredEra {
    /// That of the copy.
    then: u32,
    /// The one that goes on there.
    now: u32,
}

impl RestoredEra {
    /// What a run that was remembered in the era of the copy is called now.
    pub(crate) fn of(self, last_run: LastRun) -> LastRun {
        last_run.in_era(self.then, self.now)
    }
}

impl Clock {
    /// Ticks go back, and the era goes on to one in which no run of before is remembered.
    pub(super) fn restore(&mut self, [tick, last, checked]: [Tick; 3], era: u32) -> RestoredEra {
        self.restores += 1;
        self.tick.set(tick);
        self.onlookers.forget(tick);
        self.last.set(last);
        self.checked = checked;
        self.era = self.era.wrapping_add(LastRun::FORGOTTEN);
        RestoredEra { then: era, now: self.era }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tick_of_runs_that_look_on_does_not_go_back() {
        let mut onlookers = Onlookers::default();
        let at = |tick: u32| Some(Tick::new(tick));
        assert_eq!(onlookers.tick(), None);
        let later = onlookers.enter(Tick::new(11));
        let earlier = onlookers.enter(Tick::new(10));
        assert_eq!(onlookers.tick(), at(11));
        drop(later);
        assert_eq!(onlookers.tick(), at(11));
        drop(earlier);
        assert_eq!(onlookers.tick(), None);
        // Also if the later one has ended before.
        let earlier = onlookers.enter(Tick::new(10));
        assert_eq!(onlookers.tick(), at(11));
        drop(earlier);
        assert_eq!(onlookers.enter(Tick::new(12)).0.tick(), at(12));
        // Ticks wrap around, and go back when the world does.
        onlookers.forget(Tick::new(u32::MAX));
        assert_eq!(onlookers.enter(Tick::new(2)).0.tick(), at(2));
        assert_eq!(onlookers.enter(Tick::new(u32::MAX)).0.tick(), at(2));
        onlookers.forget(Tick::new(1));
        assert_eq!(onlookers.enter(Tick::new(1)).0.tick(), at(1));
    }
}
