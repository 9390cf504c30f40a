//! How strict a schedule is.

/// What is done when something looks like a mistake.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScheduleBuildSettings {
    /// What is done about systems that are in each other's way and have no order: [`ScheduleBuildError::Ambiguous`](super::ScheduleBuildError::Ambiguous).
    pub ambiguity_detection: LogLevel,
}
