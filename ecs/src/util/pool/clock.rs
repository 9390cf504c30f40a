//! The clock, or a substitute if the platform has no clock.
//!
//! Tests: tests/schedules/schedule_views/reports.rs

use core::time::Duration;
#[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
pub(crate) use std::time::Instant;

/// Whether there is a clock. False without `std`, and on platforms where reading the clock of the standard library panics.
pub(crate) const HAS_CLOCK: bool = cfg!(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))));

/// A substitute for the clock. No time ever passes.
#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
#[derive(Clone, Copy)]
pub(crate) struct Instant;

#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    pub(crate) fn duration_since(&self, _: Self) -> Duration {
        Duration::ZERO
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Converts a duration to nanoseconds, saturating.
#[inline]
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
