//! The clock of the machine.
//!
//! Tests: ecs/app/tests/steps.rs

use std::time::{Duration, Instant};

use super::base::Time;

/// The context of `Time<Real>`: the clock of the machine, which is neither paused nor limited.
///
/// The delta is zero in the first frame.
///
/// The clock belongs to the process and not to the state of the world: when a world is restored or loaded, the clock continues, and the
/// delta of the next frame is the time since the last frame. Checksums, differences and deltas ignore the clock.
///
/// ```
/// use strata_app::prelude::*;
///
/// fn report(time: Res<Time<Real>>) {
///     println!("the frame before took {:?}", time.delta());
/// }
///
/// App::new().add_plugins(TimePlugin).add_systems(Last, report).run();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Real {
    startup: Instant,
    first_update: Option<Instant>,
    last_update: Option<Instant>,
    /// Whether the plugin has advanced the clock.
    pub(super) is_running: bool,
}

impl Default for Real {
    fn default() -> Self {
        Self { startup: Instant::now(), first_update: None, last_update: None, is_running: false }
    }
}

impl Time<Real> {
    /// Creates a clock that was started at an instant.
    ///
    /// ```
    /// use std::time::Instant;
    /// use strata_app::prelude::*;
    /// let start = Instant::now();
    /// assert_eq!(Time::<Real>::new(start).startup(), start);
    /// ```
    #[must_use]
    pub fn new(startup: Instant) -> Self {
        Self::new_with(Real { startup, first_update: None, last_update: None, is_running: false })
    }

    /// Advances the clock to now. The [`TimePlugin`](crate::time::TimePlugin) does this once per frame.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let mut time = Time::<Real>::default();
    /// time.update();
    /// time.update();
    /// assert_eq!(time.elapsed(), time.last_update().unwrap() - time.first_update().unwrap());
    /// ```
    pub fn update(&mut self) {
        self.update_with_instant(Instant::now());
    }

    /// Advances the clock by a duration. The first call only records an instant: the startup plus the duration.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = Time::<Real>::default();
    /// time.update_with_duration(Duration::from_secs(1));
    /// time.update_with_duration(Duration::from_secs(2));
    /// assert_eq!(time.elapsed(), Duration::from_secs(2));
    /// ```
    pub fn update_with_duration(&mut self, duration: Duration) {
        let Real { startup, last_update, .. } = *self.context();
        self.update_with_instant(last_update.unwrap_or(startup) + duration);
    }

    /// Advances the clock to an instant. The first call only records the instant. If the instant is before the last one, the clock does not
    /// change.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use strata_app::prelude::*;
    /// let start = Instant::now();
    /// let mut time = Time::<Real>::new(start);
    /// time.update_with_instant(start);
    /// time.update_with_instant(start + Duration::from_millis(5));
    /// assert_eq!(time.delta(), Duration::from_millis(5));
    /// ```
    pub fn update_with_instant(&mut self, instant: Instant) {
        match self.context().last_update {
            Some(last) => {
                self.advance_by(instant.saturating_duration_since(last));
                self.context_mut().last_update = Some(instant.max(last));
            }
            None => {
                let context = self.context_mut();
                context.first_update = Some(instant);
                context.last_update = Some(instant);
            }
        }
    }

    /// Returns the instant when the clock was created.
    #[must_use]
    pub fn startup(&self) -> Instant {
        self.context().startup
    }

    /// Returns the instant of the first update.
    #[must_use]
    pub fn first_update(&self) -> Option<Instant> {
        self.context().first_update
    }

    /// Returns the instant of the last update.
    #[must_use]
    pub fn last_update(&self) -> Option<Instant> {
        self.context().last_update
    }
}
