//! A stopwatch.
//!
//! Tests: ecs/app/tests/timers.rs

use std::time::Duration;

use crate::form::Words;

/// Measures elapsed time: the sum of the durations that are passed to [`tick`](Stopwatch::tick) while it is not paused.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
///
/// #[derive(Component)]
/// struct Held(Stopwatch);
///
/// #[system]
/// fn hold(held: &mut Held, time: Res<Time>) {
///     held.0.tick(time.delta());
/// }
///
/// let mut stopwatch = Stopwatch::new();
/// stopwatch.tick(Duration::from_secs(1));
/// stopwatch.pause();
/// stopwatch.tick(Duration::from_secs(1));
/// assert_eq!(stopwatch.elapsed_secs(), 1.0);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stopwatch {
    elapsed: Duration,
    is_paused: bool,
}

impl Words for Stopwatch {
    fn write(&self, text: &mut String) {
        self.elapsed.write(text);
        self.is_paused.write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        Some(Self { elapsed: Duration::read(text)?, is_paused: bool::read(text)? })
    }
}

impl Stopwatch {
    /// Creates a stopwatch at zero that is not paused.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the elapsed time since the stopwatch was last reset.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns the elapsed time in seconds.
    #[must_use]
    pub fn elapsed_secs(&self) -> f32 {
        self.elapsed.as_secs_f32()
    }

    /// Returns the elapsed time in seconds, with more precision.
    #[must_use]
    pub fn elapsed_secs_f64(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }

    /// Sets the elapsed time.
    pub fn set_elapsed(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Adds a duration to the elapsed time, unless the stopwatch is paused.
    pub fn tick(&mut self, delta: Duration) -> &Self {
        if !self.is_paused {
            self.elapsed = self.elapsed.saturating_add(delta);
        }
        self
    }

    /// Pauses the stopwatch, so that [`tick`](Stopwatch::tick) has no effect.
    pub fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Resumes the stopwatch.
    pub fn unpause(&mut self) {
        self.is_paused = false;
    }

    /// Returns whether the stopwatch is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Sets the elapsed time to zero. A paused stopwatch stays paused.
    pub fn reset(&mut self) {
        self.elapsed = Duration::ZERO;
    }
}
