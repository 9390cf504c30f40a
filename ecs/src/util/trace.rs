//! Spans for subscribers of `tracing`. There is a span for each run of a schedule, for each run of a system in the schedule, for each
//! application of the commands of a system, and for each run of an observer or hook. The span of an observer or hook covers all entities of
//! one notification.
//!
//! Each system of a pipeline has one span, not one per block. The span is entered when the system prepares its run, and left when the last
//! block is done. So the time of the span includes the times of the following systems of the pipeline, although the parent of all these
//! spans is the run. The report of the schedule contains the time of each single system.
//!
//! Without the feature `trace`, the types of this module have no size, and the functions do nothing.
//!
//! Tests: tests/trace/main.rs

use core::fmt;

/// The target of all spans.
#[cfg(feature = "trace")]
const TARGET: &str = "strata_ecs";

/// Reports a problem after which the program continues. With the feature `trace` it is reported to subscribers, otherwise to standard
/// error, if available.
#[cold]
pub(crate) fn warn(text: &dyn fmt::Display) {
    #[cfg(feature = "trace")]
    tracing::warn!(target: TARGET, "{text}");
    #[cfg(all(feature = "std", not(feature = "trace")))]
    std::eprintln!("warning: {text}");
    #[cfg(not(any(feature = "std", feature = "trace")))]
    let _ = text;
}

/// The level of a message.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

/// Reports a message of a level to subscribers. Without the feature `trace`, warnings and errors are written to standard error, if
/// available.
#[cold]
pub(crate) fn emit_text(level: Level, text: &str) {
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

/// A guard for a span that has been entered on this thread. Dropping the guard leaves the span.
#[must_use = "the span ends when this is dropped"]
pub(crate) struct SpanGuard {
    #[cfg(feature = "trace")]
    _span: tracing::span::EnteredSpan,
}

/// The span of a run of a schedule. It is the parent of the spans of the systems, on all threads.
#[derive(Clone, Copy)]
pub(crate) struct RunSpan {
    /// The id of the span; `None` if no subscriber is interested in the span.
    #[cfg(feature = "trace")]
    id: Option<core::num::NonZeroU64>,
}

impl RunSpan {
    /// Begins the span of a run of a schedule.
    #[cfg(feature = "trace")]
    pub(crate) fn begin(label: Option<impl fmt::Debug>) -> (Self, SpanGuard) {
        let label = label.as_ref().map(tracing::field::debug);
        let span = tracing::info_span!(target: TARGET, "schedule", name = label);
        (Self { id: span.id().map(|id| id.into_non_zero_u64()) }, SpanGuard { _span: span.entered() })
    }

    #[cfg(not(feature = "trace"))]
    #[inline]
    pub(crate) fn begin(_: Option<impl fmt::Debug>) -> (Self, SpanGuard) {
        (Self {}, SpanGuard {})
    }

    /// Begins the span of a run of a system in this run of a schedule.
    #[cfg(feature = "trace")]
    pub(crate) fn system<'n>(self, label: Option<impl fmt::Debug>, name: impl FnOnce() -> &'n str) -> SpanGuard {
        let label = label.as_ref().map(tracing::field::debug);
        let span = match self.id {
            Some(id) => {
                let run = tracing::Id::from_non_zero_u64(id);
                tracing::info_span!(target: TARGET, parent: run, "system", name = name(), schedule = label)
            }
            None => tracing::info_span!(target: TARGET, "system", name = name(), schedule = label),
        };
        SpanGuard { _span: span.entered() }
    }

    #[cfg(not(feature = "trace"))]
    #[inline]
    pub(crate) fn system<'n>(self, _: Option<impl fmt::Debug>, _: impl FnOnce() -> &'n str) -> SpanGuard {
        SpanGuard {}
    }
}

/// Begins the span of the application of the commands of a system.
#[cfg(feature = "trace")]
pub(crate) fn commands(system: Option<&str>) -> SpanGuard {
    SpanGuard { _span: tracing::info_span!(target: TARGET, "commands", system).entered() }
}

#[cfg(not(feature = "trace"))]
#[inline]
pub(crate) fn commands(_: Option<&str>) -> SpanGuard {
    SpanGuard {}
}

/// Begins the span of a run of an observer. `name` is the name of the observer, and `event` the name of its event
/// pattern. Run conditions are evaluated within the span.
#[cfg(feature = "trace")]
pub(crate) fn observer(name: &str, event: &'static str) -> SpanGuard {
    SpanGuard { _span: tracing::info_span!(target: TARGET, "observer", name, event).entered() }
}

#[cfg(not(feature = "trace"))]
#[inline]
pub(crate) fn observer(_: &str, _: &'static str) -> SpanGuard {
    SpanGuard {}
}

/// Begins the span of a hook that runs for the entities of an operation.
#[cfg(feature = "trace")]
pub(crate) fn hook<'n>(name: &str, component: impl FnOnce() -> &'n str) -> SpanGuard {
    SpanGuard { _span: tracing::info_span!(target: TARGET, "hook", name, component = component()).entered() }
}

#[cfg(not(feature = "trace"))]
#[inline]
pub(crate) fn hook<'n>(_: &str, _: impl FnOnce() -> &'n str) -> SpanGuard {
    SpanGuard {}
}
