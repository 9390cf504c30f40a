//! The error of systems and commands: any error, with context and a severity.
//!
//! Tests: tests/systems/errors.rs

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

/// Any error. `?` converts every error type into it, except [`EcsError`], which contains a `BoxError`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn parse(text: &str) -> Result<u32, BoxError> {
///     if text.is_empty() {
///         return Err("nothing there".into());
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(parse("12").unwrap(), 12);
/// assert_eq!(parse("").unwrap_err().to_string(), "nothing there");
/// ```
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// The severity of an error. The [error handler](crate::error::ErrorHandler) of the world decides how to react to it. In a world without an
/// error handler:
///
/// - schedules and commands ignore errors up to `Warning`. An error of severity `Warning` is also written to standard error. With the
///   feature `trace` it is reported to `tracing` instead. Without `trace` and `std` it is not reported.
/// - schedules and commands treat errors of other severities as a failure of the system or command.
///
/// ```
/// use strata_ecs::error::{EcsError, Severity};
/// use strata_ecs::prelude::*;
///
/// fn autosave() -> Result {
///     Err(EcsError::new(Severity::Ignore, "the game is paused"))
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems(autosave);
/// assert!(schedule.try_run(&mut World::new()).is_ok());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The error is ignored.
    Ignore,
    /// Relevant when individual steps are traced.
    Trace,
    /// Relevant for debugging.
    Debug,
    /// Informational.
    Info,
    /// Something is wrong, but the program can continue.
    Warning,
    /// Something failed.
    Error,
    /// Like `Error`. The default severity.
    Panic,
}

/// The error type of systems and commands: any error, with context and a severity.
///
/// `?` converts every error type into an `EcsError`, and `into` also converts a text. An `EcsError` dereferences to `dyn Error`, so `is`
/// and `downcast_ref` refer to the original error. `to_string` includes the text that [`context`](ContextExt::context) has added. The type
/// does not implement `Error`, because that would conflict with the conversion by `?`.
///
/// ```
/// use std::num::ParseIntError;
///
/// use strata_ecs::error::{EcsError, Severity};
/// use strata_ecs::prelude::*;
///
/// fn read_seed(text: &str) -> Result<u32> {
///     Ok(text.parse().context("the seed of the world").with_severity(Severity::Warning)?)
/// }
///
/// let error: EcsError = read_seed("twelve").unwrap_err();
/// assert_eq!(error.to_string(), "the seed of the world: invalid digit found in string");
/// assert!(error.is::<ParseIntError>());
/// assert_eq!(error.severity(), Severity::Warning);
/// ```
pub struct EcsError(Box<AnnotatedError>);

/// An error with its severity and its contexts.
struct AnnotatedError {
    error: BoxError,
    severity: Severity,
    /// The contexts, the innermost first.
    contexts: Vec<Cow<'static, str>>,
}

impl EcsError {
    /// Creates an error of this severity from a text or any error.
    pub fn new(severity: Severity, error: impl Into<BoxError>) -> Self {
        Self(Box::new(AnnotatedError { error: error.into(), severity, contexts: Vec::new() }))
    }

    /// Returns the severity of the error.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// Replaces the severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// Adds context, which is shown before the text of the error.
    #[must_use]
    pub fn context(mut self, context: impl Into<Cow<'static, str>>) -> Self {
        self.0.contexts.push(context.into());
        self
    }

    /// Returns the original error, without its severity and contexts.
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        self.0.error
    }

    /// Returns the original error if it has the default severity and no context. Otherwise returns an error that contains the original
    /// error, its severity and its contexts.
    pub(crate) fn into_box(self) -> BoxError {
        if self.0.contexts.is_empty() && self.0.severity == Severity::Panic { self.0.error } else { self.0 }
    }
}

/// Returns the original error of an error that [`EcsError::into_box`] returned. If it has context, returns `error` itself.
pub(crate) fn without_severity(error: &BoxError) -> &BoxError {
    match error.downcast_ref::<AnnotatedError>() {
        Some(annotated) if annotated.contexts.is_empty() => &annotated.error,
        _ => error,
    }
}

/// Returns the severity of an error that [`EcsError::into_box`] returned.
pub(crate) fn severity_of(error: &BoxError) -> Severity {
    error.downcast_ref::<AnnotatedError>().map_or(Severity::Panic, |annotated| annotated.severity)
}

impl<E> From<E> for EcsError
where
    BoxError: From<E>,
{
    fn from(error: E) -> Self {
        let error = BoxError::from(error);
        Self(error.downcast::<AnnotatedError>().unwrap_or_else(|error| {
            Box::new(AnnotatedError { error, severity: Severity::Panic, contexts: Vec::new() })
        }))
    }
}

impl_from!([] EcsError => Box<dyn Error>, |error| error.into_box());

impl_deref!([] EcsError => dyn Error + Send + Sync + 'static, |this| *this.0.error);

impl_display!([] AnnotatedError => |this, f| {
    for context in this.contexts.iter().rev() {
        write!(f, "{context}: ")?;
    }
    this.error.fmt(f)
});

impl_debug!([] AnnotatedError => |this, f| fmt::Display::fmt(this, f));

impl Error for AnnotatedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}

impl_display!([] EcsError => |this, f| this.0.fmt(f));

// Like `Display`, because `unwrap` and a failing `main` print `Debug`.
impl_debug!([] EcsError => |this, f| fmt::Display::fmt(this, f));

/// Adds context to an error. Implemented for `Result` and `Option`.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn third(numbers: &[u32]) -> Result<u32> {
///     numbers.get(2).copied().with_context(|| format!("only {} numbers", numbers.len()))
/// }
/// assert_eq!(third(&[1, 2]).unwrap_err().to_string(), "only 2 numbers");
/// assert_eq!("x".parse::<u32>().context("the port").unwrap_err().to_string(), "the port: invalid digit found in string");
/// ```
pub trait ContextExt<T> {
    /// Adds context to the error.
    ///
    /// # Errors
    ///
    /// The error, with the context before its text. For `None`, an error that consists of the context.
    fn context(self, context: impl Into<Cow<'static, str>>) -> Result<T, EcsError>;

    /// Adds the context that a function returns. The function is called only if there is an error.
    ///
    /// # Errors
    ///
    /// Same as [`context`](Self::context).
    fn with_context<C: Into<Cow<'static, str>>>(self, context: impl FnOnce() -> C) -> Result<T, EcsError>;
}

impl<T, E: Into<EcsError>> ContextExt<T> for Result<T, E> {
    fn context(self, context: impl Into<Cow<'static, str>>) -> Result<T, EcsError> {
        self.map_err(|error| error.into().context(context))
    }

    fn with_context<C: Into<Cow<'static, str>>>(self, context: impl FnOnce() -> C) -> Result<T, EcsError> {
        self.map_err(|error| error.into().context(context()))
    }
}

impl<T> ContextExt<T> for Option<T> {
    fn context(self, context: impl Into<Cow<'static, str>>) -> Result<T, EcsError> {
        self.ok_or_else(|| EcsError::from(context.into()))
    }

    fn with_context<C: Into<Cow<'static, str>>>(self, context: impl FnOnce() -> C) -> Result<T, EcsError> {
        self.ok_or_else(|| EcsError::from(context().into()))
    }
}

/// Sets the severity of an error.
///
/// ```
/// use strata_ecs::error::Severity;
/// use strata_ecs::prelude::*;
///
/// let error = "x".parse::<u32>().with_severity(Severity::Info).unwrap_err();
/// assert_eq!(error.severity(), Severity::Info);
/// ```
pub trait ResultSeverityExt<T, E> {
    /// Sets the severity of the error.
    ///
    /// # Errors
    ///
    /// The error with this severity.
    fn with_severity(self, severity: Severity) -> Result<T, EcsError>;

    /// Sets the severity that a function returns for the error.
    ///
    /// # Errors
    ///
    /// The error with the severity that the function returns.
    fn map_severity(self, severity: impl FnOnce(&E) -> Severity) -> Result<T, EcsError>;
}

impl<T, E: Into<EcsError>> ResultSeverityExt<T, E> for Result<T, E> {
    fn with_severity(self, severity: Severity) -> Result<T, EcsError> {
        self.map_err(|error| error.into().with_severity(severity))
    }

    fn map_severity(self, severity: impl FnOnce(&E) -> Severity) -> Result<T, EcsError> {
        self.map_err(|error| {
            let severity = severity(&error);
            error.into().with_severity(severity)
        })
    }
}
