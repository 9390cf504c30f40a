//! A timer.
//!
//! Tests: ecs/app/tests/timers.rs

use std::time::Duration;

use super::stopwatch::Stopwatch;
use crate::form::{Words, read_word, write_word};

/// The behavior of a [`Timer`] when its duration has elapsed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TimerMode {
    /// The timer stays finished.
    #[default]
    Once,
    /// The timer restarts.
    Repeating,
}

/// Finishes after a duration, once or repeatedly. It advances by the durations passed to [`tick`](Timer::tick).
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
///
/// #[derive(Component)]
/// struct Bomb(Timer);
///
/// #[system]
/// fn explode(bomb: &mut Bomb, entity: Entity, time: Res<Time>, mut commands: Commands) {
///     if bomb.0.tick(time.delta()).just_finished() {
///         commands.entity(entity).despawn();
///     }
/// }
///
/// // A repeating timer finishes several times at once if that much time has passed.
/// let mut timer = Timer::from_seconds(0.5, TimerMode::Repeating);
/// timer.tick(Duration::from_millis(1600));
/// assert_eq!(timer.times_finished_this_tick(), 3);
/// assert_eq!(timer.elapsed(), Duration::from_millis(100));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timer {
    stopwatch: Stopwatch,
    duration: Duration,
    mode: TimerMode,
    is_finished: bool,
    times_finished: u32,
}

impl Words for TimerMode {
    fn write(&self, text: &mut String) {
        write_word(if *self == Self::Once { "once" } else { "repeating" }, text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        match read_word(text)? {
            "once" => Some(Self::Once),
            "repeating" => Some(Self::Repeating),
            _ => None,
        }
    }
}

impl Words for Timer {
    fn write(&self, text: &mut String) {
        let Self { stopwatch, duration, mode, is_finished, times_finished } = self;
        stopwatch.write(text);
        duration.write(text);
        mode.write(text);
        is_finished.write(text);
        times_finished.write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        let (stopwatch, duration, mode, is_finished) = Words::read(text)?;
        Some(Self { stopwatch, duration, mode, is_finished, times_finished: u32::read(text)? })
    }
}

impl Timer {
    /// Creates a timer with this duration.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let timer = Timer::new(Duration::from_secs(3), TimerMode::Once);
    /// assert_eq!(timer.remaining(), Duration::from_secs(3));
    /// ```
    #[must_use]
    pub fn new(duration: Duration, mode: TimerMode) -> Self {
        Self { duration, mode, ..Self::default() }
    }

    /// Creates a timer with this duration in seconds.
    ///
    /// # Panics
    ///
    /// If the duration is negative or not finite.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// assert_eq!(Timer::from_seconds(1.5, TimerMode::Once).duration(), Duration::from_millis(1500));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_seconds(duration: f32, mode: TimerMode) -> Self {
        Self::new(Duration::from_secs_f32(duration), mode)
    }

    /// Advances the timer, unless it is paused, or is finished and does not repeat.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut timer = Timer::from_seconds(1.0, TimerMode::Once);
    /// assert!(!timer.tick(Duration::from_millis(900)).is_finished());
    /// assert!(timer.tick(Duration::from_millis(900)).just_finished());
    /// assert!(!timer.tick(Duration::from_millis(900)).just_finished());
    /// assert!(timer.is_finished());
    /// ```
    pub fn tick(&mut self, delta: Duration) -> &Self {
        self.times_finished = 0;
        let repeats = self.mode == TimerMode::Repeating;
        if self.is_paused() {
            self.is_finished &= !repeats;
            return self;
        }
        if self.is_finished && !repeats {
            return self;
        }
        let elapsed = self.stopwatch.tick(delta).elapsed();
        self.is_finished = elapsed >= self.duration;
        if self.is_finished {
            let (times, left) = if repeats { self.divide(elapsed) } else { (1, self.duration) };
            self.times_finished = times;
            self.stopwatch.set_elapsed(left);
        }
        self
    }

    /// Returns the number of times that the timer's duration fits into `elapsed`, and the remainder. A duration of zero fits `u32::MAX`
    /// times.
    fn divide(&self, elapsed: Duration) -> (u32, Duration) {
        let (elapsed, duration) = (elapsed.as_nanos(), self.duration.as_nanos());
        match (elapsed.checked_div(duration), elapsed.checked_rem(duration)) {
            (Some(times), Some(left)) => {
                let left = Duration::new((left / 1_000_000_000) as u64, (left % 1_000_000_000) as u32);
                (u32::try_from(times).unwrap_or(u32::MAX), left)
            }
            _ => (u32::MAX, Duration::ZERO),
        }
    }

    /// Returns whether the duration has elapsed. A repeating timer that is finished stays so only until the next [`tick`](Timer::tick).
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns whether the last [`tick`](Timer::tick) finished the timer.
    #[must_use]
    pub fn just_finished(&self) -> bool {
        self.times_finished > 0
    }

    /// Returns how many times the last [`tick`](Timer::tick) finished the timer: more than once if a repeating timer was advanced by
    /// several of its durations.
    #[must_use]
    pub fn times_finished_this_tick(&self) -> u32 {
        self.times_finished
    }

    /// Returns the elapsed time since the timer started or last restarted.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    /// Returns the elapsed time in seconds.
    #[must_use]
    pub fn elapsed_secs(&self) -> f32 {
        self.stopwatch.elapsed_secs()
    }

    /// Returns the elapsed time in seconds, with more precision.
    #[must_use]
    pub fn elapsed_secs_f64(&self) -> f64 {
        self.stopwatch.elapsed_secs_f64()
    }

    /// Sets the elapsed time. The next [`tick`](Timer::tick) updates whether the timer is finished.
    pub fn set_elapsed(&mut self, elapsed: Duration) {
        self.stopwatch.set_elapsed(elapsed);
    }

    /// Returns the duration after which the timer finishes.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Sets the duration after which the timer finishes. The next [`tick`](Timer::tick) updates whether the timer is finished.
    pub fn set_duration(&mut self, duration: Duration) {
        self.duration = duration;
    }

    /// Returns the time until the timer finishes.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.duration.saturating_sub(self.elapsed())
    }

    /// Returns the time until the timer finishes, in seconds.
    #[must_use]
    pub fn remaining_secs(&self) -> f32 {
        self.remaining().as_secs_f32()
    }

    /// Returns the fraction of the duration that has elapsed, from 0 to 1.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut timer = Timer::from_seconds(2.0, TimerMode::Once);
    /// timer.tick(Duration::from_millis(500));
    /// assert_eq!((timer.fraction(), timer.fraction_remaining()), (0.25, 0.75));
    /// ```
    #[must_use]
    pub fn fraction(&self) -> f32 {
        if self.duration.is_zero() { 1.0 } else { self.elapsed().as_secs_f32() / self.duration.as_secs_f32() }
    }

    /// Returns the fraction of the duration that remains, from 1 to 0.
    #[must_use]
    pub fn fraction_remaining(&self) -> f32 {
        1.0 - self.fraction()
    }

    /// Advances the timer by the remaining time, unless it is paused.
    pub fn finish(&mut self) {
        self.tick(self.remaining());
    }

    /// Advances the timer to one nanosecond before the end, unless it is paused.
    pub fn almost_finish(&mut self) {
        self.tick(self.remaining().saturating_sub(Duration::from_nanos(1)));
    }

    /// Returns whether the timer repeats.
    #[must_use]
    pub fn mode(&self) -> TimerMode {
        self.mode
    }

    /// Sets whether the timer repeats. If a finished timer is changed to repeating, it restarts.
    pub fn set_mode(&mut self, mode: TimerMode) {
        if self.is_finished && self.mode == TimerMode::Once && mode == TimerMode::Repeating {
            self.stopwatch.reset();
            self.is_finished = self.just_finished();
        }
        self.mode = mode;
    }

    /// Pauses the timer, so that [`tick`](Timer::tick) does not advance it.
    pub fn pause(&mut self) {
        self.stopwatch.pause();
    }

    /// Resumes the timer.
    pub fn unpause(&mut self) {
        self.stopwatch.unpause();
    }

    /// Returns whether the timer is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.stopwatch.is_paused()
    }

    /// Restarts the timer. A paused timer stays paused.
    pub fn reset(&mut self) {
        self.stopwatch.reset();
        self.is_finished = false;
        self.times_finished = 0;
    }
}
