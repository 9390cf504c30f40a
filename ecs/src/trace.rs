//! Spans for subscribers of `tracing`: of each run of a schedule, of each run of a system in it, of each application of what a system
//! has recorded, and of observers and hooks, one for all entities of which one is told at once.
//!
//! The systems of a pipeline each have one span, and not one for each block. It is entered when the system has its turn to get
//! ready, and left when the last block is done, so the spans of those that come later lie within it in time. Its parent is the
//! run all the same. What a system took by itself is in the schedule's report.
//!
//! Without the feature `trace` all of this is empty: types without size, and functions that do nothing.

use core::fmt;

/// The target of all spans.
#[cfg(feature = "trace")]
const TARGET: &str = "strata_ecs";

/// Tells of what went wrong and did not end the program: to subscribers with the feature `trace`, else on the standard error
/// stream, if there is one.
#[cold]
pub(crate) fn warn(text: &dyn fmt::Display) {
    #[cfg(feature = "trace")]
    tracing::warn!(target: TARGET, "{text}");
    #[cfg(all(feature = "std", not(feature = "trace")))]
    std::eprintln!("warning: {text}");
    #[cfg(not(any(feature = "std", feature = "trace")))]
    let _ = text;
}

/// How bad it is what is told of.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

/// Tells subscribers of something, at a level. Without the feature `trace` what is at least a warning goes to the standard error
/// stream, if there is one.
#[cold]
pub(crate) fn tell(level: Level, text: &str) {
    #[cfg(feature = "trace")]
    match level {
        Level::Trace => tracing::trace!(target: TARGET, "{text}"),
        Level::Debug => tracing::debug!(target: TARGET, "{text}"),
        Level::Info => tracing::info!(target: TARGET, "{text}"),
        Level::Warn => tracing::warn!(target: TARGET, "{text}"),
        Level::Error => tracing::error!(target: TARGET, "{text}"),
    }
    #[cfg(all(feature = "std", not(feature = "trace")))]
    match level {
        Level::Trace | Level::Debug | Level::Info => {}
        Level::Warn => std::eprintln!("warning: {text}"),
        Level::Error => std::eprintln!("error: {text}"),
    }
    #[cfg(not(any(feature = "std", feature = "trace")))]
    let _ = (level, text);
}

/// A span that has been entered on this thread, until this is dropped.
#[must_use = "the span ends when this is dropped"]
pub(crate) struct Entered {
    #[cfg(feature = "trace")]
    _span: tracing::span::EnteredSpan,
}

/// The span of a run of a schedule, in which those of its systems are, on whatever thread they run.
#[derive(Clone, Copy)]
pub(crate) struct RunSpan {
    /// If a subscriber is interested in it.
    #[cfg(feature = "trace")]
    id: Option<core::num::NonZeroU64>,
}

impl RunSpan {
    /// Begins the run of a schedule.
    #[cfg(feature = "trace")]
    pub(crate) fn begin(label: Option<impl fmt::Debug>) -> (Self, Entered) {
        let label = label.as_ref().map(tracing::field::debug);
        let span = tracing::info_span!(target: TARGET, "schedule", name = label);
        (Self { id: span.id().map(|id| id.into_non_zero_u64()) }, Entered { _span: span.entered() })
    }

    #[cfg(not(feature = "trace"))]
    #[inline]
    pub(crate) fn begin(_: Option<impl fmt::Debug>) -> (Self, Entered) {
        (Self {}, Entered {})
    }

    /// Begins the run of a system in it.
    #[cfg(feature = "trace")]
    pub(crate) fn system<'n>(self, label: Option<impl fmt::Debug>, name: impl FnOnce() -> &'n str) -> Entered {
        let label = label.as_ref().map(tracing::field::debug);
        let span = match self.id {
            Some(id) => {
                let run = tracing::Id::from_non_zero_u64(id);
                tracing::info_span!(target: TARGET, parent: run, "system", name = name(), schedule = label)
            }
            None => tracing::info_span!(target: TARGET, "system", name = name(), schedule = label),
        };
        Entered { _span: span.entered() }
    }

    #[cfg(not(feature = "trace"))]
    #[inline]
    pub(crate) fn system<'n>(self, _: Option<impl fmt::Debug>, _: impl FnOnce() -> &'n str) -> Entered {
        Entered {}
    }
}

/// Begins the application of what a system has recorded.
#[cfg(feature = "trace")]
pub(crate) fn commands(system: Option<&str>) -> Entered {
    Entered { _span: tracing::info_span!(target: TARGET, "commands", system).entered() }
}

#[cfg(not(feature = "trace"))]
#[inline]
pub(crate) fn commands(_: Option<&str>) -> Entered {
    Entered {}
}

/// Begins telling an observer, whose name is given, of an event, or of those of an operation, of a pattern, whose name is given. Its
/// conditions are asked in it.
#[cfg(feature = "trace")]
pub(crate) fn observer(name: &str, event: &'static str) -> Entered {
    Entered { _span: tracing::info_span!(target: TARGET, "observer", name, event).entered() }
}

#[cfg(not(feature = "trace"))]
#[inline]
pub(crate) fn observer(_: &str, _: &'static str) -> Entered {
    Entered {}
}

/// Begins to run a hook of a component for the entities of an operation.
#[cfg(feature = "trace")]
pub(crate) fn hook<'n>(name: &str, component: impl FnOnce() -> &'n str) -> Entered {
    Entered { _span: tracing::info_span!(target: TARGET, "hook", name, component = component()).entered() }
}

#[cfg(not(feature = "trace"))]
#[inline]
pub(crate) fn hook<'n>(_: &str, _: impl FnOnce() -> &'n str) -> Entered {
    Entered {}
}
