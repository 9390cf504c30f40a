//! Deserialization of clocks, which rejects invalid values.
//!
//! Tests: tests/snapshots/apps.rs

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Deserializes a duration that must be longer than zero.
pub(super) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let duration = Duration::deserialize(deserializer)?;
    if duration.is_zero() { Err(D::Error::custom("a clock has a period, step or bound of zero")) } else { Ok(duration) }
}

/// Deserializes a speed that must be finite and not negative.
pub(super) fn speed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let speed = f64::deserialize(deserializer)?;
    let is_valid = speed.is_finite() && speed >= 0.0;
    if is_valid { Ok(speed) } else { Err(D::Error::custom(format_args!("a clock does not go at the speed {speed}"))) }
}
