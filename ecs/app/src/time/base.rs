//! The generic clock that all clocks are based on.
//!
//! Tests: ecs/app/tests/timers.rs, tests/snapshots/apps.rs

use std::time::Duration;

use strata_ecs::resource::Resource;

/// A duration that is also stored in seconds, because many systems read these in their loops.
#[derive(Clone, Copy, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Duration", into = "Duration"))]
pub(super) struct Span {
    pub(super) duration: Duration,
    secs: f32,
    secs_f64: f64,
}

impl From<Duration> for Span {
    fn from(duration: Duration) -> Self {
        Self { duration, secs: duration.as_secs_f32(), secs_f64: duration.as_secs_f64() }
    }
}

/// A clock: the time since it was last advanced, and the total time.
///
/// Most systems use `Time`. The other clocks are [`Time<Real>`](crate::time::Real), [`Time<Virtual>`](crate::time::Virtual) and
/// [`Time<Fixed>`](crate::time::Fixed): see the [module](crate::time). A program can have its own clocks. A clock is a resource if its
/// context is `Clone`, so snapshots clone it. Checksums cover the times of the clock. To also cover the context, pass a function for the
/// clock to [`StateOptions::with_hash`](strata_ecs::snapshot::StateOptions::with_hash).
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
///
/// #[derive(Default)]
/// struct Turns {
///     played: u32,
/// }
///
/// let mut clock = Time::new_with(Turns { played: 0 });
/// clock.advance_by(Duration::from_millis(250));
/// clock.advance_by(Duration::from_millis(500));
/// clock.context_mut().played += 1;
/// assert_eq!(clock.delta_secs(), 0.5);
/// assert_eq!(clock.elapsed(), Duration::from_millis(750));
/// ```
#[derive(Resource, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[resource(clone, hash, persistence = Self::persistence_of_context, missing = "add `TimePlugin` to the `App`, or insert a clock of your own with `insert_resource`")]
pub struct Time<T: Default = ()> {
    pub(super) context: T,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::time::serialized::positive"))]
    pub(super) wrap_period: Duration,
    pub(super) delta: Span,
    pub(super) elapsed: Span,
    pub(super) wrapped: Span,
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        span.duration
    }
}

impl<T: Default> Default for Time<T> {
    fn default() -> Self {
        Self::new_with(T::default())
    }
}

impl<T: Default> Time<T> {
    /// One hour.
    const DEFAULT_WRAP_PERIOD: Duration = Duration::from_secs(3600);

    /// Creates a clock at zero with this context.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert_eq!(*Time::new_with(3).context(), 3);
    /// ```
    #[must_use]
    pub fn new_with(context: T) -> Self {
        Self {
            context,
            wrap_period: Self::DEFAULT_WRAP_PERIOD,
            delta: Span::default(),
            elapsed: Span::default(),
            wrapped: Span::default(),
        }
    }

    /// Advances the clock by a duration, which is the delta until the clock is advanced again.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = <Time>::default();
    /// time.advance_by(Duration::from_secs(2));
    /// assert_eq!((time.delta(), time.elapsed()), (Duration::from_secs(2), Duration::from_secs(2)));
    /// ```
    pub fn advance_by(&mut self, delta: Duration) {
        let elapsed = self.elapsed.duration + delta;
        self.delta = delta.into();
        self.elapsed = elapsed.into();
        self.wrapped = remainder(elapsed, self.wrap_period).into();
    }

    /// Advances the clock to this elapsed time.
    ///
    /// # Panics
    ///
    /// If the elapsed time of the clock is already greater.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = <Time>::default();
    /// time.advance_to(Duration::from_secs(2));
    /// time.advance_to(Duration::from_secs(5));
    /// assert_eq!(time.delta(), Duration::from_secs(3));
    /// ```
    #[track_caller]
    pub fn advance_to(&mut self, elapsed: Duration) {
        match elapsed.checked_sub(self.elapsed.duration) {
            Some(delta) => self.advance_by(delta),
            None => panic!("a clock does not go back: it was at {:?}, and was told {elapsed:?}", self.elapsed.duration),
        }
    }

    /// Returns the duration by which the clock was last advanced.
    #[inline]
    #[must_use]
    pub fn delta(&self) -> Duration {
        self.delta.duration
    }

    /// Returns the delta in seconds.
    #[inline]
    #[must_use]
    pub fn delta_secs(&self) -> f32 {
        self.delta.secs
    }

    /// Returns the delta in seconds, with more precision.
    #[inline]
    #[must_use]
    pub fn delta_secs_f64(&self) -> f64 {
        self.delta.secs_f64
    }

    /// Returns the sum of all deltas.
    #[inline]
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.elapsed.duration
    }

    /// Returns the sum of all deltas in seconds. After some hours the precision of an `f32` is too low for animations: see
    /// [`elapsed_secs_wrapped`](Time::elapsed_secs_wrapped).
    #[inline]
    #[must_use]
    pub fn elapsed_secs(&self) -> f32 {
        self.elapsed.secs
    }

    /// Returns the sum of all deltas in seconds, with more precision.
    #[inline]
    #[must_use]
    pub fn elapsed_secs_f64(&self) -> f64 {
        self.elapsed.secs_f64
    }

    /// Returns the sum of all deltas modulo the [`wrap_period`](Time::wrap_period).
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut time = <Time>::default();
    /// time.set_wrap_period(Duration::from_secs(10));
    /// time.advance_by(Duration::from_secs(23));
    /// assert_eq!(time.elapsed_wrapped(), Duration::from_secs(3));
    /// ```
    #[inline]
    #[must_use]
    pub fn elapsed_wrapped(&self) -> Duration {
        self.wrapped.duration
    }

    /// Returns [`elapsed_wrapped`](Time::elapsed_wrapped) in seconds.
    #[inline]
    #[must_use]
    pub fn elapsed_secs_wrapped(&self) -> f32 {
        self.wrapped.secs
    }

    /// Returns [`elapsed_wrapped`](Time::elapsed_wrapped) in seconds, with more precision.
    #[inline]
    #[must_use]
    pub fn elapsed_secs_wrapped_f64(&self) -> f64 {
        self.wrapped.secs_f64
    }

    /// Returns the period after which [`elapsed_wrapped`](Time::elapsed_wrapped) restarts at zero: an hour by default.
    #[inline]
    #[must_use]
    pub fn wrap_period(&self) -> Duration {
        self.wrap_period
    }

    /// Sets the [`wrap_period`](Time::wrap_period). The period takes effect when the clock is advanced next.
    ///
    /// # Panics
    ///
    /// If the period is zero.
    #[track_caller]
    pub fn set_wrap_period(&mut self, wrap_period: Duration) {
        assert!(!wrap_period.is_zero(), "the wrap period of a clock must be longer than zero");
        self.wrap_period = wrap_period;
    }

    /// Returns the context of the clock.
    #[inline]
    #[must_use]
    pub fn context(&self) -> &T {
        &self.context
    }

    /// Returns the context of the clock, mutably.
    #[inline]
    #[must_use]
    pub fn context_mut(&mut self) -> &mut T {
        &mut self.context
    }

    /// Copies the time into a [`Time`] without context.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// let mut fixed = Time::<Fixed>::default();
    /// fixed.advance_by(Duration::from_secs(1));
    /// let time: Time = fixed.as_generic();
    /// assert_eq!(time.elapsed_secs(), 1.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_generic(&self) -> Time {
        let &Self { wrap_period, delta, elapsed, wrapped, .. } = self;
        Time { context: (), wrap_period, delta, elapsed, wrapped }
    }
}

/// Returns the remainder of the division of a duration by a period.
fn remainder(duration: Duration, period: Duration) -> Duration {
    if duration < period {
        return duration;
    }
    let nanos = duration.as_nanos() % period.as_nanos();
    Duration::new((nanos / 1_000_000_000) as u64, (nanos % 1_000_000_000) as u32)
}
