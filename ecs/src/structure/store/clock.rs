//! The clock of a world: its tick, which counts runs, and the state that a run restores at its end.

use alloc::sync::Arc;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU64};

use crate::component::Components;
use crate::storage::tick::{CHECK_EVERY, LastRun, RunTicks, Tick, TickCell, WriteStamp};
use crate::util::origin::{Origin, OriginCell, SystemOrigin, TRACKED};

/// The part of the clock that a run can access at its end, even if the world has been moved.
pub(crate) struct SharedClock {
    /// The number of the next run.
    pub(crate) tick: TickCell,
    /// The tick after which changes are new outside of systems.
    pub(crate) last: TickCell,
    /// The caller (origin) that the world has to restore, because a run has ended while another world was in its place. It stays here until
    /// the world takes it.
    by: OriginCell,
    has_ended: AtomicBool,
}

impl SharedClock {
    /// Stores the caller (origin) that the world has to restore.
    #[cold]
    pub(super) fn restore_origin(&self, by: Origin) {
        self.by.set(by);
        self.has_ended.store(true, Release);
    }

    /// Takes the caller (origin) that the world has to restore, if there is one.
    #[inline]
    pub(super) fn take_restored_origin(&self) -> Option<Origin> {
        if !TRACKED || !self.has_ended.load(Acquire) {
            return None;
        }
        self.has_ended.store(false, Relaxed);
        Some(self.by.get())
    }
}

/// The tick of a world and its eras.
pub(crate) struct Clock {
    pub(crate) shared: Arc<SharedClock>,
    /// The tick at which all ticks were clamped last.
    pub(super) checked: Tick,
    /// Advances by one when ticks are clamped, and by `LastRun::FORGOTTEN` when they are restored, so that no earlier run is remembered.
    pub(super) era: u32,
    /// How often ticks have gone back. It only grows.
    pub(super) restores: u64,
    /// The systems in progress that read the whole world.
    pub(super) readers: ReaderRuns,
}

impl Default for Clock {
    fn default() -> Self {
        let (tick, last) = (Tick::new(1), Tick::new(0));
        let readers = ReaderRuns::default();
        let shared = SharedClock {
            tick: TickCell::new(tick),
            last: TickCell::new(last),
            by: OriginCell::default(),
            has_ended: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared), checked: last, era: 0, restores: 0, readers }
    }
}

/// The number of running systems that read the whole world, and the latest tick at which one has begun.
///
/// Such a system conflicts with every system that writes, so nothing changes while one runs. All of them can therefore share one tick:
/// earlier changes happened at that tick at the latest, and later changes happen after it. If a run begins with an earlier tick than a run
/// before it, the shared tick stays at the later tick; otherwise a state that was used at the later tick would see old changes as new.
#[derive(Default)]
pub(super) struct ReaderRuns(AtomicU64);

impl ReaderRuns {
    /// The upper half holds the number of runs, so that runs can end in any order.
    const ONE: u64 = 1 << 32;

    /// Returns the shared tick, if any such run is in progress.
    fn tick(&self) -> Option<Tick> {
        let state = self.0.load(Relaxed);
        (state >= Self::ONE).then_some(Tick::new(state as u32))
    }

    /// Counts a run until the returned guard is dropped.
    fn enter(&self, tick: Tick) -> ReaderRun<'_> {
        let entered = |state: u64| {
            // The ticks are close to each other, since `reset` is called whenever ticks are clamped. So the sign of their difference orders
            // them.
            let latest = Tick::new(state as u32);
            let is_later = tick.get().wrapping_sub(latest.get()).cast_signed() > 0;
            let tick = if is_later { tick } else { latest };
            Some(((state / Self::ONE + 1) * Self::ONE) | u64::from(tick.get()))
        };
        let _ = self.0.fetch_update(Relaxed, Relaxed, entered);
        ReaderRun(self)
    }

    /// Resets the tick. No run is in progress, and later runs have this tick or a later one.
    pub(super) fn reset(&mut self, now: Tick) {
        *self.0.get_mut() = u64::from(now.get());
    }
}

/// A run of a system that reads the whole world.
pub(crate) struct ReaderRun<'a>(&'a ReaderRuns);

impl Drop for ReaderRun<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(ReaderRuns::ONE, Relaxed);
    }
}

impl_deref!(#[inline] [] Clock => SharedClock, |this| this.shared);

/// How eras are renamed when ticks go back.
#[derive(Clone, Copy)]
pub(crate) struct RestoredEra {
    /// The era of the copy.
    then: u32,
    /// The new era.
    now: u32,
}

impl RestoredEra {
    /// Converts a run that was recorded in the era of the copy to the new era.
    pub(crate) fn of(self, last_run: LastRun) -> LastRun {
        last_run.in_era(self.then, self.now)
    }
}

impl Clock {
    /// Returns the tick of operations outside of systems.
    #[inline]
    pub(crate) fn change_tick(&self) -> Tick {
        self.tick.get()
    }

    /// Returns the current tick, with a system as the caller.
    pub(crate) fn stamp_in(&self, system: SystemOrigin) -> WriteStamp {
        WriteStamp { tick: self.change_tick(), by: Origin::in_system(system) }
    }

    /// Begins a read-only run; several threads may call this at the same time. While systems that read the whole world are running, the new
    /// run gets their tick: later ticks may be reserved for other runs, whose changes must count as new for the next run.
    pub(crate) fn begin_run_shared(&self, last_run: LastRun) -> RunTicks {
        let this_run = self.readers.tick().unwrap_or_else(|| self.tick.advance());
        self.run_ticks_since(last_run, this_run)
    }

    /// If a run reads the whole world, counts it as such a run at this tick until the returned guard is dropped.
    #[inline]
    pub(crate) fn enter_reader(&self, reads_world: bool, tick: Tick) -> Option<ReaderRun<'_>> {
        if reads_world { Some(self.readers.enter(tick)) } else { None }
    }

    /// Returns the ticks of a run for a system or query that last ran at `last_run`.
    #[inline]
    pub(crate) fn run_ticks_since(&self, last_run: LastRun, this_run: Tick) -> RunTicks {
        RunTicks { last_run: last_run.tick(this_run, self.era), this_run, system: SystemOrigin::NONE }
    }

    /// Returns the [`LastRun`] that a system or query stores after a run at this tick.
    #[inline]
    pub(crate) fn run_at(&self, tick: Tick) -> LastRun {
        LastRun::at(tick, self.era)
    }

    /// Advances the tick and returns the previous one; `None` if the store has to maintain ticks first.
    #[inline]
    pub(crate) fn try_advance(&mut self, components: &Components) -> Option<Tick> {
        let tick = self.change_tick();
        if self.checked.age(tick) >= CHECK_EVERY || components.is_tracking_requested() {
            return None;
        }
        self.tick.set(tick.next());
        Some(tick)
    }

    /// Sets the ticks back and begins an era in which no earlier run is remembered.
    pub(super) fn restore(&mut self, [tick, last, checked]: [Tick; 3], era: u32) -> RestoredEra {
        self.restores += 1;
        self.tick.set(tick);
        self.readers.reset(tick);
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
    fn the_tick_of_reader_runs_does_not_go_back() {
        let mut readers = ReaderRuns::default();
        let at = |tick: u32| Some(Tick::new(tick));
        assert_eq!(readers.tick(), None);
        let later = readers.enter(Tick::new(11));
        let earlier = readers.enter(Tick::new(10));
        assert_eq!(readers.tick(), at(11));
        drop(later);
        assert_eq!(readers.tick(), at(11));
        drop(earlier);
        assert_eq!(readers.tick(), None);
        // An earlier run gets the tick of a later one even if the later one has ended.
        let earlier = readers.enter(Tick::new(10));
        assert_eq!(readers.tick(), at(11));
        drop(earlier);
        assert_eq!(readers.enter(Tick::new(12)).0.tick(), at(12));
        // Ticks wrap around, and go back when the world is restored.
        readers.reset(Tick::new(u32::MAX));
        assert_eq!(readers.enter(Tick::new(2)).0.tick(), at(2));
        assert_eq!(readers.enter(Tick::new(u32::MAX)).0.tick(), at(2));
        readers.reset(Tick::new(1));
        assert_eq!(readers.enter(Tick::new(1)).0.tick(), at(1));
    }
}
