//! How strict a schedule is.

/// What is done when something looks like a mistake: see [`ScheduleBuildSettings`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogLevel {
    /// Nothing.
    #[default]
    Ignore,
    /// It is written to the standard error output, with the feature `std`.
    Warn,
    /// It is an error.
    Error,
}

/// How strict a schedule is when it is built.
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
    /// What is done about systems that are in each other's way and have no order: [`ScheduleBuildError::Ambiguous`](super::ScheduleBuildError::Ambiguous).
    pub ambiguity_detection: LogLevel,
}
