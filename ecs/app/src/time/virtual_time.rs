//! The clock of the game.
//!
//! Tests: ecs/app/tests/steps.rs

use std::hash::{Hash, Hasher};
use std::time::Duration;

use super::base::Time;
use crate::form::Words;

/// The context of `Time<Virtual>`: the clock of the game, which can be paused, sped up and slowed down.
///
/// If a frame takes longer than [`max_delta`](Time::max_delta), the clock only advances by `max_delta`, so the game does not skip ahead
/// after a breakpoint or while the machine is busy. This also limits how many fixed steps a frame has to catch up with.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
///
/// fn toggle_pause(mut time: ResMut<Time<Virtual>>) {
///     time.toggle();
/// }
///
/// let mut app = App::new();
/// app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(10)));
/// app.update();
/// app.update(); // Ten seconds are more than a frame may take.
/// assert_eq!(app.world().resource::<Time>().elapsed(), Duration::from_millis(250));
/// app.world_mut().run_system_once(toggle_pause).unwrap();
/// app.update();
/// assert_eq!(app.world().resource::<Time>().delta(), Duration::ZERO);
/// assert_eq!(app.world().resource::<Time<Real>>().elapsed(), Duration::from_secs(20));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Virtual {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::time::serialized::positive"))]
    max_delta: Duration,
    is_paused: bool,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::time::serialized::speed"))]
    relative_speed: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::time::serialized::speed"))]
    effective_speed: f64,
}

impl Hash for Virtual {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { max_delta, is_paused, relative_speed, effective_speed } = self;
        (max_delta, is_paused, relative_speed.to_bits(), effective_speed.to_bits()).hash(state);
    }
}

impl Words for Virtual {
    fn write(&self, text: &mut String) {
        let Self { max_delta, is_paused, relative_speed, effective_speed } = *self;
        (max_delta, is_paused, relative_speed, effective_speed).write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        let (max_delta, is_paused, relative_speed, effective_speed): (Duration, _, f64, f64) = Words::read(text)?;
        let are_speeds = [relative_speed, effective_speed].iter().all(|speed| speed.is_finite() && *speed >= 0.0);
        let is_valid = !max_delta.is_zero() && are_speeds;
        is_valid.then_some(Self { max_delta, is_paused, relative_speed, effective_speed })
    }
}

impl Default for Virtual {
    fn default() -> Self {
        Self { max_delta: Duration::from_millis(250), is_paused: false, relative_speed: 1.0, effective_speed: 1.0 }
    }
}

impl Time<Virtual> {
    /// Creates a clock that advances by at most this duration per frame.
    ///
    /// # Panics
    ///
    /// If the duration is zero.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let time = Time::<Virtual>::from_max_delta(Duration::from_millis(100));
    /// App::new().add_plugins(TimePlugin).insert_resource(time);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_max_delta(max_delta: Duration) -> Self {
        let mut time = Self::default();
        time.set_max_delta(max_delta);
        time
    }

    /// Returns the maximum duration by which the clock advances in a frame: by default a quarter of a second.
    #[must_use]
    pub fn max_delta(&self) -> Duration {
        self.context().max_delta
    }

    /// Sets the maximum duration by which the clock advances in a frame.
    ///
    /// # Panics
    ///
    /// If the duration is zero.
    #[track_caller]
    pub fn set_max_delta(&mut self, max_delta: Duration) {
        assert!(!max_delta.is_zero(), "the longest delta of a clock must be longer than zero; `pause` stops it");
        self.context_mut().max_delta = max_delta;
    }

    /// Returns the speed of the clock relative to the real clock while it is not paused: 1 by default.
    #[must_use]
    pub fn relative_speed(&self) -> f32 {
        self.relative_speed_f64() as f32
    }

    /// Returns [`relative_speed`](Time::relative_speed), with more precision.
    #[must_use]
    pub fn relative_speed_f64(&self) -> f64 {
        self.context().relative_speed
    }

    /// Sets the relative speed of the clock, from the next frame on.
    ///
    /// # Panics
    ///
    /// If the speed is negative or not finite.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let mut time = Time::<Virtual>::default();
    /// time.set_relative_speed(0.5);
    /// assert_eq!(time.relative_speed(), 0.5);
    /// ```
    #[track_caller]
    pub fn set_relative_speed(&mut self, speed: f32) {
        self.set_relative_speed_f64(speed.into());
    }

    /// Like [`set_relative_speed`](Time::set_relative_speed), with more precision.
    ///
    /// # Panics
    ///
    /// If the speed is negative or not finite.
    #[track_caller]
    pub fn set_relative_speed_f64(&mut self, speed: f64) {
        assert!(
            speed.is_finite() && speed >= 0.0,
            "a clock does not go at the speed {speed}: it is 0 or more, and finite"
        );
        self.context_mut().relative_speed = speed;
    }

    /// Returns the speed of the clock in this frame: 0 if it was paused, and less than the relative speed if its delta was limited.
    #[must_use]
    pub fn effective_speed(&self) -> f32 {
        self.effective_speed_f64() as f32
    }

    /// Returns [`effective_speed`](Time::effective_speed), with more precision.
    #[must_use]
    pub fn effective_speed_f64(&self) -> f64 {
        self.context().effective_speed
    }

    /// Pauses the clock, from the next frame on.
    pub fn pause(&mut self) {
        self.context_mut().is_paused = true;
    }

    /// Resumes the clock, from the next frame on.
    pub fn unpause(&mut self) {
        self.context_mut().is_paused = false;
    }

    /// Pauses the clock if it runs, and resumes it if it is paused.
    pub fn toggle(&mut self) {
        self.context_mut().is_paused ^= true;
    }

    /// Returns whether the clock will be paused in the next frame.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.context().is_paused
    }

    /// Returns whether the clock was paused in this frame.
    #[must_use]
    pub fn was_paused(&self) -> bool {
        self.context().effective_speed == 0.0
    }

    /// Advances the clock by a real duration, scaled by its speed.
    pub(super) fn follow(&mut self, real: Duration) {
        let Virtual { max_delta, is_paused, relative_speed, .. } = *self.context();
        let speed = if is_paused { 0.0 } else { relative_speed };
        // At speed 1 the duration is not converted, so it is not rounded. A product that exceeds the range of `Duration` becomes
        // `Duration::MAX`, which `max_delta` limits.
        let wanted = if speed == 1.0 {
            real
        } else {
            Duration::try_from_secs_f64(real.as_secs_f64() * speed).unwrap_or(Duration::MAX)
        };
        let delta = wanted.min(max_delta);
        self.context_mut().effective_speed =
            if wanted > max_delta { delta.as_secs_f64() / real.as_secs_f64() } else { speed };
        self.advance_by(delta);
    }
}
