//! The clock that advances in fixed steps.
//!
//! Tests: ecs/app/tests/steps.rs

use std::time::Duration;

use strata_ecs::system::Result;
use strata_ecs::world::World;

use super::base::Time;
use super::virtual_time::Virtual;
use crate::form::Words;
use crate::main_schedule::{FixedMain, prepare_fixed};

/// The context of `Time<Fixed>`: a clock that advances in steps of a fixed length.
///
/// In each frame, the delta of the virtual clock is added to the remaining [`overstep`](Time::overstep), and [`FixedMain`] runs once for
/// each whole step in the sum. So some frames have no step and some have several, and in the long term the number of steps matches the time
/// that has passed. Equal frame durations result in equal steps.
///
/// [`Time<Virtual>`](crate::time::Virtual) limits how much time a single frame can add, and so how many steps it runs.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// # #[derive(Resource, Default)] struct Steps(u32);
///
/// let mut app = App::new();
/// app.add_plugins(TimePlugin)
///     .insert_resource(Time::<Fixed>::from_hz(50.0))
///     .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(16)))
///     .init_resource::<Steps>()
///     .add_systems(FixedUpdate, |mut steps: ResMut<Steps>| steps.0 += 1);
/// for _ in 0..=10 {
///     app.update();
/// }
/// assert_eq!(app.world().resource::<Steps>().0, 8); // Of 20 milliseconds each, in 160.
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fixed {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::time::serialized::positive"))]
    timestep: Duration,
    overstep: Duration,
}

impl Words for Fixed {
    fn write(&self, text: &mut String) {
        [self.timestep, self.overstep].write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        let [timestep, overstep] = <[Duration; 2]>::read(text)?;
        Some(Self { timestep, overstep }).filter(|_| !timestep.is_zero())
    }
}

impl Default for Fixed {
    fn default() -> Self {
        Self { timestep: Duration::from_micros(15_625), overstep: Duration::ZERO }
    }
}

impl Time<Fixed> {
    /// Creates a clock with steps of this length.
    ///
    /// # Panics
    ///
    /// If the length is zero.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let time = Time::<Fixed>::from_duration(Duration::from_millis(10));
    /// assert_eq!(time.timestep(), Duration::from_millis(10));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_duration(timestep: Duration) -> Self {
        let mut time = Self::default();
        time.set_timestep(timestep);
        time
    }

    /// Creates a clock with steps of this length in seconds.
    ///
    /// # Panics
    ///
    /// If the length is not greater than zero, or is not finite.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// assert_eq!(Time::<Fixed>::from_seconds(0.25).timestep(), Duration::from_millis(250));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_seconds(seconds: f64) -> Self {
        let mut time = Self::default();
        time.set_timestep_seconds(seconds);
        time
    }

    /// Creates a clock with this number of steps per second.
    ///
    /// # Panics
    ///
    /// If the number is not greater than zero, or is not finite.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// assert_eq!(Time::<Fixed>::from_hz(64.0).timestep(), Time::<Fixed>::default().timestep());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_hz(hz: f64) -> Self {
        let mut time = Self::default();
        time.set_timestep_hz(hz);
        time
    }

    /// Returns the length of a step: by default 1/64 of a second.
    #[must_use]
    pub fn timestep(&self) -> Duration {
        self.context().timestep
    }

    /// Sets the length of a step, starting with the next one.
    ///
    /// # Panics
    ///
    /// If the length is zero.
    #[track_caller]
    pub fn set_timestep(&mut self, timestep: Duration) {
        assert!(!timestep.is_zero(), "a fixed step must be longer than zero");
        self.context_mut().timestep = timestep;
    }

    /// Sets the length of a step in seconds.
    ///
    /// # Panics
    ///
    /// If the length is not greater than zero, or is not finite.
    #[track_caller]
    pub fn set_timestep_seconds(&mut self, seconds: f64) {
        match Duration::try_from_secs_f64(seconds) {
            Ok(timestep) => self.set_timestep(timestep),
            Err(error) => panic!("a fixed step cannot take {seconds} seconds: {error}"),
        }
    }

    /// Sets the number of steps per second.
    ///
    /// # Panics
    ///
    /// If the number is not greater than zero, or is not finite.
    #[track_caller]
    pub fn set_timestep_hz(&mut self, hz: f64) {
        assert!(hz.is_finite() && hz > 0.0, "there cannot be {hz} fixed steps in a second");
        self.set_timestep_seconds(1.0 / hz);
    }

    /// Returns the accumulated time since the last step. Outside of the fixed steps, it is shorter than a step.
    #[must_use]
    pub fn overstep(&self) -> Duration {
        self.context().overstep
    }

    /// Returns the [`overstep`](Time::overstep) as a fraction of a step, for interpolation between two steps.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = Time::<Fixed>::from_duration(Duration::from_millis(100));
    /// time.accumulate_overstep(Duration::from_millis(25));
    /// assert_eq!(time.overstep_fraction(), 0.25);
    /// ```
    #[must_use]
    pub fn overstep_fraction(&self) -> f32 {
        self.overstep_fraction_f64() as f32
    }

    /// Returns [`overstep_fraction`](Time::overstep_fraction), with more precision.
    #[must_use]
    pub fn overstep_fraction_f64(&self) -> f64 {
        self.overstep().as_secs_f64() / self.timestep().as_secs_f64()
    }

    /// Adds a duration to the accumulated time from which steps are taken.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = Time::<Fixed>::default();
    /// time.accumulate_overstep(Duration::from_secs(1));
    /// assert_eq!(time.overstep(), Duration::from_secs(1));
    /// ```
    pub fn accumulate_overstep(&mut self, delta: Duration) {
        let context = self.context_mut();
        context.overstep = context.overstep.saturating_add(delta);
    }

    /// Subtracts a duration from the accumulated time, which does not get negative, so that steps are skipped.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = Time::<Fixed>::default();
    /// time.accumulate_overstep(Duration::from_secs(1));
    /// time.discard_overstep(Duration::from_secs(2));
    /// assert_eq!(time.overstep(), Duration::ZERO);
    /// ```
    pub fn discard_overstep(&mut self, discard: Duration) {
        let context = self.context_mut();
        context.overstep = context.overstep.saturating_sub(discard);
    }

    /// Takes a step if the accumulated time is long enough, and returns whether it was.
    fn expend(&mut self) -> bool {
        let Fixed { timestep, overstep } = *self.context();
        let Some(left) = overstep.checked_sub(timestep) else { return false };
        self.context_mut().overstep = left;
        self.advance_by(timestep);
        true
    }
}

/// Runs as many steps as the accumulated time contains.
pub(super) fn run_steps(world: &mut World) -> Result {
    let delta = world.resource::<Time<Virtual>>().delta();
    world.resource_mut::<Time<Fixed>>().accumulate_overstep(delta);
    // The fixed schedules are prepared in each frame, because systems may have been added.
    prepare_fixed(world)?;
    let mut result = Ok(());
    while result.is_ok() && world.resource_mut::<Time<Fixed>>().expend() {
        *world.resource_mut::<Time>() = world.resource::<Time<Fixed>>().as_generic();
        result = world.try_run_schedule(FixedMain);
    }
    *world.resource_mut::<Time>() = world.resource::<Time<Virtual>>().as_generic();
    Ok(result?)
}
