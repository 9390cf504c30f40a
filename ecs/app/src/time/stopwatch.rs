//! A stopwatch.

use std::time::Duration;

use crate::form::Words;

/// Counts the time that it is told, unless it is paused.
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
    /// A stopwatch at zero, that is not paused.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The time that it has counted since it was last reset.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The time that it has counted, in seconds.
    #[must_use]
    pub fn elapsed_secs(&self) -> f32 {
        self.elapsed.as_secs_f32()
    }

    /// The time that it has counted, in seconds and more exactly.
    #[must_use]
    pub fn elapsed_secs_f64(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }

    /// Sets the time that it has counted.
    pub fn set_elapsed(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Counts this much more, unless it is paused.
    pub fn tick(&mut self, delta: Duration) -> &Self {
        if !self.is_paused {
            self.elapsed = self.elapsed.saturating_add(delta);
        }
        self
    }

    /// Has it ignore the time that it is told.
    pub fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Has it count again.
    pub fn unpause(&mut self) {
        self.is_paused = false;
    }

    /// Whether it ignores the time that it is told.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Sets it to zero. It stays paused if it is.
    pub fn reset(&mut self) {
        self.elapsed = Duration::ZERO;
    }
}
