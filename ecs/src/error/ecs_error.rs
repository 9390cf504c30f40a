//! The error of systems and commands: any error, with what was being done, and how bad it is.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

/// Any error. `?` turns every error type into it, but [`EcsError`], which it is inside of.
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

/// How bad an error is. What follows from it is up to the [error handler](crate::error::ErrorHandler). In a world without one,
///
/// - schedules and commands pass over errors up to `Warning`, after `Warning` has been written to the standard error stream (to
///   `tracing` with the feature `trace`, and nowhere without `std`),
/// - and take the others as what they are: a system that fails, a command that could not be carried out.
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
    /// As if it had not happened.
    Ignore,
    /// Of interest when a single step is looked at.
    Trace,
    /// Of interest to those who look for a mistake.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is wrong, but the program can go on.
    Warning,
    /// Something failed.
    Error,
    /// As `Error`: that of errors that say nothing else.
    Panic,
}

/// What a system or command fails with: any error, what was being done when it happened, and how bad it is.
///
/// Every error type becomes one by `?`, also a text by `into`. It is read as `dyn Error`, so `is` and `downcast_ref` look at the
/// original error; `to_string` gives it with what [`context`](ContextExt::context) has added. It does not implement `Error` itself,
/// as that would be in the way of `?`.
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
pub struct EcsError(Box<Annotated>);

/// An error with what was said of it.
struct Annotated {
    error: BoxError,
    severity: Severity,
    /// What was being done, from the inside out.
    contexts: Vec<Cow<'static, str>>,
}

impl EcsError {
    /// An error of this severity: of a text, or of any error.
    pub fn new(severity: Severity, error: impl Into<BoxError>) -> Self {
        Self(Box::new(Annotated { error: error.into(), severity, contexts: Vec::new() }))
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The same error with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// The same error, with what was being done.
    #[must_use]
    pub fn context(mut self, context: impl Into<Cow<'static, str>>) -> Self {
        self.0.contexts.push(context.into());
        self
    }

    /// The original error, without what was said of it.
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        self.0.error
    }

    /// The original error, if nothing was said of it, or an error that knows all of it.
    pub(crate) fn into_box(self) -> BoxError {
        if self.0.contexts.is_empty() && self.0.severity == Severity::Panic { self.0.error } else { self.0 }
    }
}

/// The original error of one that came out of [`EcsError::into_box`], unless context was added to it.
pub(crate) fn without_severity(error: &BoxError) -> &BoxError {
    match error.downcast_ref::<Annotated>() {
        Some(annotated) if annotated.contexts.is_empty() => &annotated.error,
        _ => error,
    }
}

/// How bad an error is that came out of [`EcsError::into_box`].
pub(crate) fn severity_of(error: &BoxError) -> Severity {
    error.downcast_ref::<Annotated>().map_or(Severity::Panic, |annotated| annotated.severity)
}

impl<E> From<E> for EcsError
where
    BoxError: From<E>,
{
    fn from(error: E) -> Self {
        let error = BoxError::from(error);
        Self(
            error
                .downcast::<Annotated>()
                .unwrap_or_else(|error| Box::new(Annotated { error, severity: Severity::Panic, contexts: Vec::new() })),
        )
    }
}

impl_from!([] EcsError => Box<dyn Error>, |error| error.into_box());

impl_deref!([] EcsError => dyn Error + Send + Sync + 'static, |this| *this.0.error);

impl_display!([] Annotated => |this, f| {
    for context in this.contexts.iter().rev() {
        write!(f, "{context}: ")?;
    }
    this.error.fmt(f)
});

impl_debug!([] Annotated => |this, f| fmt::Display::fmt(this, f));

impl Error for Annotated {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}

impl_display!([] EcsError => |this, f| this.0.fmt(f));

// As `Display`: it is what `unwrap` and a `main` that fails print.
impl_debug!([] EcsError => |this, f| fmt::Display::fmt(this, f));

/// Says what was being done when an error happened: for `Result` and `Option`.
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
    /// Adds what was being done.
    ///
    /// # Errors
    ///
    /// The error with the text before its own, or the text if there was nothing.
    fn context(self, context: impl Into<Cow<'static, str>>) -> Result<T, EcsError>;

    /// Adds what a function says, which is called in case of an error only.
    ///
    /// # Errors
    ///
    /// As [`context`](Self::context).
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

/// Says how bad an error is.
///
/// ```
/// use strata_ecs::error::Severity;
/// use strata_ecs::prelude::*;
///
/// let error = "x".parse::<u32>().with_severity(Severity::Info).unwrap_err();
/// assert_eq!(error.severity(), Severity::Info);
/// ```
pub trait ResultSeverityExt<T, E> {
    /// Sets how bad the error is.
    ///
    /// # Errors
    ///
    /// The error with this severity.
    fn with_severity(self, severity: Severity) -> Result<T, EcsError>;

    /// Sets how bad the error is, by a function that looks at it.
    ///
    /// # Errors
    ///
    /// The error with the severity that the function says.
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
