//! Error handlers, and the context that is passed to them.
//!
//! Tests: tests/systems/error_handler.rs

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::{self, Write};

use super::ecs_error::{EcsError, Severity};
use crate::util::origin::Origin;
use crate::util::trace as log;

/// A function that handles the errors of systems, run conditions, commands and observers.
///
/// [`World::set_error_handler`](crate::world::World::set_error_handler) sets the error handler of a world.
///
/// ```
/// use strata_ecs::error::{self, EcsError, ErrorContext};
/// use strata_ecs::prelude::*;
///
/// fn handler(error: EcsError, context: ErrorContext) {
///     if context.kind() == "command" {
///         error::ignore(error, context);
///     } else {
///         error::error(error, context);
///     }
/// }
///
/// fn load() -> Result {
///     Err("no such file".into())
/// }
///
/// let mut world = World::new();
/// world.set_error_handler(handler);
/// let mut schedule = Schedule::default();
/// schedule.add_systems(load);
/// schedule.run(&mut world); // Writes "error: system `load` failed: no such file".
/// ```
#[doc(alias("FallbackErrorHandler", "DefaultErrorHandler", "GLOBAL_ERROR_HANDLER"))]
pub type ErrorHandler = fn(EcsError, ErrorContext);

/// Describes the system, run condition, command or observer that failed: its name, and where it ran.
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
    pub(crate) kind: &'static str,
    pub(crate) name: Cow<'static, str>,
    pub(crate) event: Option<&'static str>,
    pub(crate) system: Option<Cow<'static, str>>,
    pub(crate) set: Option<Cow<'static, str>>,
    pub(crate) schedule: Option<Cow<'static, str>>,
    pub(crate) by: Origin,
}

impl ErrorContext {
    fn new(kind: &'static str, name: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, name: name.into(), event: None, system: None, set: None, schedule: None, by: Origin::UNKNOWN }
    }

    /// Returns the context of a command. `system` is the system that recorded the command.
    pub(crate) fn command(name: impl Into<Cow<'static, str>>, system: Option<&'static str>) -> Self {
        Self { system: system.map(Cow::Borrowed), ..Self::new("command", name) }
    }

    /// Returns the context of a system.
    pub(crate) fn system_named(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new("system", name)
    }

    /// Returns the context of a run condition of a system, set or observer.
    pub(crate) fn run_condition(name: String) -> Self {
        Self::new("run condition", name)
    }

    /// Returns the context of an observer of an event.
    pub(crate) fn observer(name: &str, event: &'static str) -> Self {
        Self { event: Some(event), ..Self::new("observer", String::from(name)) }
    }

    getters! {
        /// Returns the name of the system, run condition, command or observer that failed.
        pub fn name(&self) -> &str = &self.name;

        /// Returns the kind of the failed function: `system`, `run condition`, `command` or `observer`.
        pub fn kind(&self) -> &'static str = self.kind;

        /// Returns the event that the failed observer observes.
        pub fn event(&self) -> Option<&'static str> = self.event;

        /// Returns the system that recorded the failed command, or to which the failed run condition belongs.
        pub fn system(&self) -> Option<&str> = self.system.as_deref();

        /// Returns the system set to which the failed run condition belongs, in the `Debug` format of its label.
        pub fn set(&self) -> Option<&str> = self.set.as_deref();

        /// Returns the schedule that ran the system or the run condition, in the `Debug` format of its label.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
        /// # fn load() -> Result { Err("no such file".into()) }
        ///
        /// let mut world = World::new();
        /// world.set_error_handler(|_, context| assert_eq!(context.schedule(), Some("Update")));
        /// let mut schedule = Schedule::new(Update);
        /// schedule.add_systems(load);
        /// schedule.run(&mut world);
        /// ```
        pub fn schedule(&self) -> Option<&str> = self.schedule.as_deref();

        /// Returns the origin of the failed command. It is known only with the feature `track_location`.
        pub fn recorded_by(&self) -> Origin = self.by;
    }
}

impl fmt::Display for ErrorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)?;
        let parts =
            [("event", self.event), ("system", self.system()), ("set", self.set()), ("schedule", self.schedule())];
        for (what, name) in parts.into_iter().filter_map(|(what, name)| Some((what, name?))) {
            write!(f, " of {what} `{name}`")?;
        }
        if let Some(location) = self.by.location() {
            write!(f, ", recorded at {location},")?;
        }
        f.write_str(" failed")
    }
}

/// Returns the context and the error as one line.
fn text(error: &EcsError, context: &ErrorContext) -> String {
    let mut text = String::new();
    // Writing to a `String` cannot fail; if formatting the error fails, its text is truncated.
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

/// An error handler that reports the error to subscribers of `tracing`, at the level `TRACE`. Without the feature `trace` it does
/// nothing.
pub fn trace(error: EcsError, context: ErrorContext) {
    log::emit_text(log::Level::Trace, &text(&error, &context));
}

/// Like [`trace`], at the level `DEBUG`.
pub fn debug(error: EcsError, context: ErrorContext) {
    log::emit_text(log::Level::Debug, &text(&error, &context));
}

/// Like [`trace`], at the level `INFO`.
pub fn info(error: EcsError, context: ErrorContext) {
    log::emit_text(log::Level::Info, &text(&error, &context));
}

/// An error handler that reports the error to subscribers of `tracing`, at the level `WARN`. Without the feature `trace`
/// it writes the error to standard error, if available.
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
    log::emit_text(log::Level::Warn, &text(&error, &context));
}

/// Like [`warn`], at the level `ERROR`.
pub fn error(error: EcsError, context: ErrorContext) {
    log::emit_text(log::Level::Error, &text(&error, &context));
}

/// An error handler that panics with the context and the error.
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
/// Always panics.
pub fn panic(error: EcsError, context: ErrorContext) {
    panic!("{}", text(&error, &context));
}

/// An error handler that calls another handler, which it chooses by the [`Severity`] of the error: [`ignore`], [`trace`], [`debug`],
/// [`info`], [`warn`], [`error`] or [`panic()`].
///
/// ```
/// use strata_ecs::error::{EcsError, Severity, match_severity};
/// use strata_ecs::prelude::*;
///
/// fn autosave() -> Result {
///     Err(EcsError::new(Severity::Ignore, "the game is paused"))
/// }
///
/// let mut world = World::new();
/// world.set_error_handler(match_severity);
/// let mut schedule = Schedule::default();
/// schedule.add_systems(autosave);
/// schedule.run(&mut world);
/// ```
///
/// # Panics
///
/// If the severity is [`Severity::Panic`], the default severity.
pub fn match_severity(error: EcsError, context: ErrorContext) {
    let handler: ErrorHandler = match error.severity() {
        Severity::Ignore => ignore,
        Severity::Trace => trace,
        Severity::Debug => debug,
        Severity::Info => info,
        Severity::Warning => warn,
        Severity::Error => self::error,
        Severity::Panic => panic,
    };
    handler(error, context);
}
