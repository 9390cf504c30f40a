//! Build settings of a schedule.
//!
//! Tests: tests/schedules/schedule/ambiguities.rs

/// The reaction to a probable mistake: see [`ScheduleBuildSettings`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogLevel {
    /// The mistake is ignored.
    #[default]
    Ignore,
    /// The mistake is written to standard error, if the feature `std` is on.
    Warn,
    /// The mistake is an error.
    Error,
}

/// Settings for building a schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::{LogLevel, ScheduleBuildSettings};
/// # #[derive(Resource, Default)] struct Score(u32);
/// # fn add(mut score: ResMut<Score>) { score.0 += 1; }
/// # fn double(mut score: ResMut<Score>) { score.0 *= 2; }
///
/// let mut world = World::new();
/// world.init_resource::<Score>();
/// let mut schedule = Schedule::default();
/// schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error });
/// schedule.add_systems((add, double));
/// assert!(schedule.try_run(&mut world).unwrap_err().to_string().contains("double"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScheduleBuildSettings {
    /// The reaction to conflicting systems without an order:
    /// [`ScheduleBuildError::Ambiguous`](super::ScheduleBuildError::Ambiguous).
    pub ambiguity_detection: LogLevel,
}
