//! What can be done about an error, by name.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::{self, Write};

use super::error::EcsError;
use crate::trace as log;

/// What failed: what an error handler is told beside the error.
///
/// ```
/// use strata_ecs::error::{EcsError, ErrorContext};
/// use strata_ecs::prelude::*;
///
/// fn load(_: &mut World) -> Result {
///     Err("no such file".into())
/// }
///
/// fn handler(error: EcsError, context: ErrorContext) {
///     assert_eq!((context.kind(), error.to_string().as_str()), ("command", "no such file"));
///     assert!(context.name().ends_with("load"));
/// }
///
/// let mut world = World::new();
/// world.commands().queue_handled(load, handler);
/// world.flush();
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorContext {
    kind: &'static str,
    name: Cow<'static, str>,
    system: Option<&'static str>,
    event: Option<&'static str>,
}

impl ErrorContext {
    /// That of a command, and of the system that has recorded it.
    pub(crate) fn command(name: &'static str, system: Option<&'static str>) -> Self {
        Self { kind: "command", name: Cow::Borrowed(name), system, event: None }
    }

    /// That of an observer that was told of an event.
    pub(crate) fn observer(name: &str, event: &'static str) -> Self {
        Self { kind: "observer", name: Cow::Owned(name.into()), system: None, event: Some(event) }
    }

    /// The name of the command or observer.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What failed, in a word: `command` or `observer`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The event that an observer was told of.
    #[must_use]
    pub fn event(&self) -> Option<&'static str> {
        self.event
    }

    /// The system that has recorded the command, if a system has.
    #[must_use]
    pub fn system(&self) -> Option<&'static str> {
        self.system
    }
}

impl fmt::Display for ErrorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind(), self.name)?;
        if let Some(event) = self.event {
            return write!(f, " of event `{event}` failed");
        }
        match self.system {
            Some(system) => write!(f, " of system `{system}` failed"),
            None => f.write_str(" failed"),
        }
    }
}

/// The context and the error, as a line.
fn text(error: &EcsError, context: &ErrorContext) -> String {
    let mut text = String::new();
    // A `String` takes everything; an error that fails to print is cut off.
    let _ = write!(text, "{context}: {error}");
    text
}

/// An error handler that does nothing.
///
/// ```
/// use strata_ecs::error::ignore;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// world.commands().queue_handled(|_: &mut World| -> Result { Err("no bread".into()) }, ignore);
/// world.flush();
/// assert!(world.take_command_errors().0.is_empty());
/// ```
pub fn ignore(_: EcsError, _: ErrorContext) {}

/// An error handler that tells subscribers of `tracing` of the error, at the level `TRACE`. Without the feature `trace` it does
/// nothing.
pub fn trace(error: EcsError, context: ErrorContext) {
    log::tell(log::Level::Trace, &text(&error, &context));
}

/// As [`trace`], at the level `DEBUG`.
pub fn debug(error: EcsError, context: ErrorContext) {
    log::tell(log::Level::Debug, &text(&error, &context));
}

/// As [`trace`], at the level `INFO`.
pub fn info(error: EcsError, context: ErrorContext) {
    log::tell(log::Level::Info, &text(&error, &context));
}

/// An error handler that tells subscribers of `tracing` of the error, at the level `WARN`. Without the feature `trace` it writes
/// the error to the standard error stream, if there is one.
///
/// ```
/// use strata_ecs::error::warn;
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// fn heal(mut entity: EntityWorldMut) -> Result {
///     entity.get_mut::<Health>().context("it cannot be healed")?.0 += 1;
///     Ok(())
/// }
///
/// let mut world = World::new();
/// let rock = world.spawn_empty().id();
/// world.commands().entity(rock).queue_handled(heal, warn); // warning: command `heal` failed: it cannot be healed
/// world.flush();
/// ```
pub fn warn(error: EcsError, context: ErrorContext) {
    log::tell(log::Level::Warn, &text(&error, &context));
}

/// As [`warn`], at the level `ERROR`.
pub fn error(error: EcsError, context: ErrorContext) {
    log::tell(log::Level::Error, &text(&error, &context));
}

/// An error handler that panics with what failed and the error.
///
/// ```should_panic
/// use strata_ecs::error::panic;
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// world.commands().queue_handled(|_: &mut World| -> Result { Err("no bread".into()) }, panic);
/// world.flush();
/// ```
///
/// # Panics
///
/// Always.
pub fn panic(error: EcsError, context: ErrorContext) {
    panic!("{}", text(&error, &context));
}
