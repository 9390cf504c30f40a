//! Ticks: the times of changes in a world. They separate new changes from changes that a system has already seen.
//!
//! A world counts the runs of systems. Every change that a system makes is recorded with the number of the run, and a system sees changes
//! that are newer than its last run. The numbers wrap around, so only differences are meaningful. The age of a tick is the number of runs
//! between it and the current run. To limit ages, all ticks of a world are clamped every [`CHECK_EVERY`] runs: ticks older than [`MAX_AGE`]
//! are set to that age. A system that has not run for longer than [`MAX_AGE`] sees everything as new.
//!
//! Each run of a system has its own tick. Changes by commands, and by code outside of systems, get the number of the next run. The
//! `StoreCell` from which parameters are fetched contains the ticks of this run and of the last run. The period between two clamps is an
//! *era*. Systems record the era of their last run, so that a system that was idle for too long is detected. If a `SystemState` is used
//! with `&World` while read-only systems run, it uses the tick of the newest of them (`ReaderRuns`): a later tick would hide changes of
//! later systems of the stage, and an earlier tick would go backwards.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::util::origin::{Origin, OriginCell, SystemOrigin};

/// Number of runs between two clamps of all ticks of a world.
pub(crate) const CHECK_EVERY: u32 = 1 << 29;
/// The greatest age that ticks have after a clamp. It is three quarters of the range of the numbers.
pub(crate) const MAX_AGE: u32 = 6 * CHECK_EVERY;

/// The number of a run, used as the time of a change.
///
/// ```
/// use strata_ecs::change::Tick;
///
/// let (last_run, this_run) = (Tick::new(7), Tick::new(9));
/// assert!(Tick::new(8).is_newer_than(last_run, this_run));
/// assert!(!last_run.is_newer_than(last_run, this_run));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
#[doc(alias("ChangeVersion", "GlobalSystemVersion", "version"))]
pub struct Tick(u32);

impl Tick {
    /// Returns the tick with this number.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    ///
    /// assert_eq!(Tick::new(3).get(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number of the tick. It is meaningful only relative to other ticks, because numbers wrap around.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let before = world.change_tick().get();
    /// world.increment_change_tick();
    /// assert_eq!(world.change_tick().get(), before + 1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns whether this tick is later than `last_run`. Both ticks are compared by their age at `this_run`.
    ///
    /// ```
    /// use strata_ecs::change::Tick;
    ///
    /// // Numbers wrap around.
    /// assert!(Tick::new(1).is_newer_than(Tick::new(u32::MAX), Tick::new(2)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_newer_than(self, last_run: Self, this_run: Self) -> bool {
        self.age(this_run) < last_run.age(this_run)
    }

    /// Returns the number of runs between this tick and `now`.
    #[inline]
    pub(crate) const fn age(self, now: Self) -> u32 {
        now.0.wrapping_sub(self.0)
    }

    /// Returns the tick `age` runs before `now`.
    #[inline]
    pub(crate) const fn ago(now: Self, age: u32) -> Self {
        Self(now.0.wrapping_sub(age))
    }

    /// Returns the next tick.
    #[inline]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// Returns the tick that is `runs` runs later.
    #[inline]
    pub(crate) const fn later(self, runs: u32) -> Self {
        Self(self.0.wrapping_add(runs))
    }

    /// Returns this tick, or the tick with the age [`MAX_AGE`] if this tick is older.
    #[inline]
    pub(crate) const fn clamped(self, now: Self) -> Self {
        if self.age(now) > MAX_AGE { Self::ago(now, MAX_AGE) } else { self }
    }

    /// Returns a tick that is older than all changes. This also holds in the following runs, until the next clamp.
    #[inline]
    pub(crate) const fn before_all(now: Self) -> Self {
        // Clamping keeps all ticks newer than this one, and the next clamp comes before the age of this one wraps around.
        Self::ago(now, MAX_AGE + CHECK_EVERY + CHECK_EVERY / 2)
    }

    /// Returns this tick or, if it is older than [`MAX_AGE`], a tick that is older than all clamped ticks.
    #[inline]
    pub(crate) const fn clamped_as_last_run(self, now: Self) -> Self {
        if self.age(now) > MAX_AGE { Self::ago(now, MAX_AGE + 1) } else { self }
    }
}

/// The tick and the origin of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteStamp {
    pub(crate) tick: Tick,
    pub(crate) by: Origin,
}

/// The ticks of a run and of the previous run of the same system. The system has not seen changes that are newer than `last_run`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunTicks {
    pub(crate) last_run: Tick,
    pub(crate) this_run: Tick,
    /// The system that runs.
    pub(crate) system: SystemOrigin,
}

impl RunTicks {
    /// Returns the same ticks with another system.
    #[inline]
    pub(crate) const fn of(self, system: SystemOrigin) -> Self {
        Self { system, ..self }
    }

    /// Returns the stamp for a change in this run, with the caller as origin.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) const fn here(self) -> WriteStamp {
        WriteStamp { tick: self.this_run, by: Origin::here(self.system) }
    }

    /// Returns the stamp for a change in this run, with the system as origin.
    #[inline]
    pub(crate) const fn somewhere(self) -> WriteStamp {
        WriteStamp { tick: self.this_run, by: Origin::in_system(self.system) }
    }

    /// Returns whether a change at this tick is new for the system.
    #[inline]
    pub(crate) const fn is_new(self, tick: Tick) -> bool {
        tick.is_newer_than(self.last_run, self.this_run)
    }
}

/// The time of a system's last run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LastRun {
    tick: Tick,
    /// The era of the run plus one; 0 if the system has never run.
    era: u32,
}

impl LastRun {
    /// The number of eras after which a run is forgotten: everything is new for the system then.
    pub(crate) const FORGOTTEN: u32 = MAX_AGE / CHECK_EVERY;

    /// Returns the same run, after the era `then` has been renumbered to `now`.
    pub(crate) const fn in_era(self, then: u32, now: u32) -> Self {
        // The age in eras is kept; a run that is no longer remembered becomes "never run".
        let age = then.wrapping_add(1).wrapping_sub(self.era);
        let is_known = self.era != 0 && age < Self::FORGOTTEN;
        Self { era: if is_known { now.wrapping_add(1).wrapping_sub(age) } else { 0 }, ..self }
    }

    /// Returns the tick of the run and its age in eras; `None` if the system has never run, or the run is forgotten.
    pub(crate) fn age(self, era: u32) -> Option<(Tick, u32)> {
        let age = era.wrapping_add(1).wrapping_sub(self.era);
        (self.era != 0 && age < Self::FORGOTTEN).then_some((self.tick, age))
    }

    /// Returns a run at `tick`, `age` eras before `era`. `era` must be at least `age`.
    pub(crate) const fn aged(tick: Tick, age: u32, era: u32) -> Self {
        Self { tick, era: era.wrapping_add(1).wrapping_sub(age) }
    }

    /// Returns this run with a later tick.
    pub(crate) const fn until(self, tick: Tick) -> Self {
        Self { tick, ..self }
    }

    /// Returns a run at this tick in this era.
    #[inline]
    pub(crate) const fn at(tick: Tick, era: u32) -> Self {
        Self { tick, era: era.wrapping_add(1) }
    }

    /// Returns the tick with which changes are compared: the tick of the run, or a tick before all changes if the system has never run or
    /// the run is forgotten.
    #[inline]
    pub(crate) const fn tick(self, now: Tick, era: u32) -> Tick {
        // If the run was fewer than `FORGOTTEN` eras ago, its age is at most `MAX_AGE`.
        let is_known = self.era != 0 && era.wrapping_add(1).wrapping_sub(self.era) < Self::FORGOTTEN;
        if is_known { self.tick } else { Tick::before_all(now) }
    }
}

/// A tick that can be written through a shared reference.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct TickCell(AtomicU32);

impl TickCell {
    #[inline]
    pub(crate) const fn new(tick: Tick) -> Self {
        Self(AtomicU32::new(tick.0))
    }

    #[inline]
    pub(crate) fn get(&self) -> Tick {
        Tick(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn set(&self, tick: Tick) {
        self.0.store(tick.0, Ordering::Relaxed);
    }

    /// Returns the address of the number. The number may be accessed non-atomically while no other thread accesses it.
    #[inline(always)]
    pub(crate) const fn as_ptr(&self) -> *mut u32 {
        self.0.as_ptr()
    }

    /// Applies a function to the tick, atomically.
    pub(crate) fn update(&self, change: impl Fn(Tick) -> Tick) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tick| {
            let (before, after) = (Tick(tick), change(Tick(tick)));
            (before != after).then_some(after.0)
        });
    }

    /// Advances the tick and returns the previous tick. Several threads may call this at the same time.
    pub(crate) fn advance(&self) -> Tick {
        Tick(self.0.fetch_add(1, Ordering::Relaxed))
    }

    /// Clamps the tick: see [`Tick::clamped`].
    pub(crate) fn clamp(&self, now: Tick) {
        self.set(self.get().clamped(now));
    }
}

/// The ticks of a component or resource: when it was added and when it was last changed.
///
/// ```
/// use strata_ecs::change::{ComponentTicks, Tick};
///
/// let mut ticks = ComponentTicks::new(Tick::new(3));
/// ticks.set_changed(Tick::new(5));
/// assert!(ticks.is_changed(Tick::new(4), Tick::new(6)));
/// assert!(!ticks.is_added(Tick::new(4), Tick::new(6)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComponentTicks {
    /// Tick of the addition.
    pub added: Tick,
    /// Tick of the last change. The addition counts as a change.
    pub changed: Tick,
}

impl ComponentTicks {
    /// Returns the ticks of a value that was added at this tick and has not been changed since.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    ///
    /// assert_eq!(ComponentTicks::new(Tick::new(3)).changed, Tick::new(3));
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(tick: Tick) -> Self {
        Self { added: tick, changed: tick }
    }

    /// Returns whether the value was added after `last_run`.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    ///
    /// assert!(ComponentTicks::new(Tick::new(3)).is_added(Tick::new(2), Tick::new(6)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_added(&self, last_run: Tick, this_run: Tick) -> bool {
        self.added.is_newer_than(last_run, this_run)
    }

    /// Returns whether the value was added or changed after `last_run`.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    ///
    /// assert!(!ComponentTicks::new(Tick::new(3)).is_changed(Tick::new(3), Tick::new(6)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_changed(&self, last_run: Tick, this_run: Tick) -> bool {
        self.changed.is_newer_than(last_run, this_run)
    }

    /// Records a change.
    ///
    /// ```
    /// use strata_ecs::change::{ComponentTicks, Tick};
    ///
    /// let mut ticks = ComponentTicks::new(Tick::new(3));
    /// ticks.set_changed(Tick::new(5));
    /// assert_eq!((ticks.added, ticks.changed), (Tick::new(3), Tick::new(5)));
    /// ```
    #[inline]
    pub const fn set_changed(&mut self, tick: Tick) {
        self.changed = tick;
    }
}

/// [`ComponentTicks`] that can be written through a shared reference, with the origin of the last change.
#[derive(Debug, Default)]
pub(crate) struct TickCells {
    pub(crate) added: TickCell,
    pub(crate) changed: TickCell,
    pub(crate) by: OriginCell,
}

impl Clone for TickCells {
    fn clone(&self) -> Self {
        let copy = Self::default();
        copy.copy_from(self);
        copy
    }
}

impl TickCells {
    /// Returns cells with these ticks and an unknown origin.
    pub(crate) fn of(ticks: ComponentTicks) -> Self {
        let cells = Self::default();
        cells.added.set(ticks.added);
        cells.changed.set(ticks.changed);
        cells
    }

    /// Copies the ticks and the origin.
    #[inline]
    pub(crate) fn copy_from(&self, other: &Self) {
        self.added.set(other.added.get());
        self.changed.set(other.changed.get());
        self.by.set(other.by.get());
    }

    /// Like [`copy_from`](Self::copy_from), optimised for the case that the ticks are equal.
    #[inline(always)]
    pub(crate) fn take_over(&self, other: &Self) {
        let same = self.changed.get() == other.changed.get() && self.added.get() == other.added.get();
        // A second change in a run has the same tick, but with `track_location` possibly another origin.
        if !same || cfg!(feature = "track_location") {
            self.copy_from(other);
        }
    }

    /// Records a change.
    #[inline]
    pub(crate) fn set_changed(&self, now: WriteStamp) {
        self.changed.set(now.tick);
        self.by.set(now.by);
    }

    /// Records a new value.
    #[inline]
    pub(crate) fn set_added(&self, now: WriteStamp) {
        self.added.set(now.tick);
        self.set_changed(now);
    }

    pub(crate) fn get(&self) -> ComponentTicks {
        ComponentTicks { added: self.added.get(), changed: self.changed.get() }
    }

    pub(crate) fn clamp(&self, now: Tick) {
        self.added.clamp(now);
        self.changed.clamp(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_after_the_last_run_is_new_wherever_the_numbers_are() {
        for base in [0, 5, 1 << 31, u32::MAX - 1, u32::MAX] {
            let tick = |after: u32| Tick::new(base.wrapping_add(after));
            let run_ticks = RunTicks { last_run: tick(3), this_run: tick(6), system: SystemOrigin::NONE };
            let new: [bool; 4] = [2, 3, 4, 6].map(|after| run_ticks.is_new(tick(after)));
            assert_eq!(new, [false, false, true, true]);
        }
    }

    #[test]
    fn a_system_that_was_idle_for_more_than_half_the_range_still_knows() {
        let start = Tick::new(u32::MAX - 7);
        let last = LastRun::at(start, 0);
        let now = Tick::new(start.get().wrapping_add(5 * CHECK_EVERY + 100));
        assert_eq!(last.tick(now, 5), start);
        assert!(!start.clamped(now).is_newer_than(last.tick(now, 5), now));
        assert!(start.next().clamped(now).is_newer_than(last.tick(now, 5), now));
    }

    #[test]
    fn a_system_that_was_idle_for_longer_takes_everything_for_new() {
        let start = Tick::new(12);
        let now = Tick::new(start.get().wrapping_add(6 * CHECK_EVERY + 100));
        let clamped = start.clamped(now);
        assert_eq!(clamped.age(now), MAX_AGE);
        assert!(clamped.is_newer_than(LastRun::at(start, 0).tick(now, 6), now));
        assert!(clamped.is_newer_than(LastRun::default().tick(now, 6), now));
    }
}
