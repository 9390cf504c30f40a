//! Errors of commands and observers.
//!
//! Tests: tests/systems/error_handler.rs, tests/commands/own.rs

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::hash::Hasher;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::entity::{EntityError, EntityIdsExhausted};
use crate::util::alloc_error::try_shrink;
use crate::util::error::{EcsError, ErrorContext, ErrorHandler, Severity};
use crate::util::fnv::Fnv;
use crate::util::mailbox::Mailbox;
use crate::util::origin::Origin;
use crate::util::trace;

/// A command failed because its entity was not alive or its system could not run; or an observer failed; or a system missed messages. All
/// other commands and observers have run.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn_empty().id();
/// world.despawn(entity);
/// world.commands().entity(entity).insert(Health(3));
/// world.flush();
/// let (errors, _) = world.take_command_errors();
/// assert!(errors[0].to_string().contains("it was despawned"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandError {
    pub(crate) command: &'static str,
    pub(crate) bundle: &'static str,
    pub(crate) failure: CommandFailure,
    pub(crate) system: Option<&'static str>,
    pub(crate) by: Origin,
}

/// Why a command failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CommandFailure {
    Entity(EntityError),
    /// There is no id for a new entity.
    NoIds(EntityIdsExhausted),
    Other(Arc<str>),
    /// This number of messages was dropped before the system ran.
    Missed(u64),
    /// A warning: the program lacks something, which the text names.
    Warning(Arc<str>),
    /// An observer has failed.
    Observer {
        observer: Arc<str>,
        reason: Arc<str>,
    },
}

impl CommandError {
    /// Returns the operation that failed: `insert`, `remove`, `despawn`, `spawn`, `run_system`, `unregister_system` or `run_schedule`;
    /// `trigger` for an observer that failed or an event that was not dispatched; `read` for a system that missed messages; `warn` for a
    /// warning of [`World::warn_once`](crate::world::World::warn_once).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.commands().entity(Entity::PLACEHOLDER).insert(Health(3));
    /// world.flush();
    /// assert_eq!(world.take_command_errors().0[0].command(), "insert");
    /// ```
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.command
    }

    /// Returns the name of the type that was to be inserted, removed or read, or of the event; empty if the operation has no type.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.commands().entity(Entity::PLACEHOLDER).insert(Health(3));
    /// world.flush();
    /// assert!(world.take_command_errors().0[0].bundle().ends_with("Health"));
    /// ```
    #[must_use]
    pub fn bundle(&self) -> &'static str {
        self.bundle
    }

    /// Returns the reason why the entity could not be accessed; `None` if something else failed.
    ///
    /// ```
    /// use strata_ecs::entity::EntityError;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.despawn(entity);
    /// world.commands().entity(entity).despawn();
    /// world.flush();
    /// assert_eq!(world.take_command_errors().0[0].error(), Some(EntityError::Despawned(entity.into())));
    /// ```
    #[must_use]
    pub fn error(&self) -> Option<EntityError> {
        match self.failure {
            CommandFailure::Entity(error) => Some(error),
            CommandFailure::NoIds(_)
            | CommandFailure::Other(_)
            | CommandFailure::Missed(_)
            | CommandFailure::Warning(_)
            | CommandFailure::Observer { .. } => None,
        }
    }

    /// Returns the name of the system that queued the command or has missed messages; `None` if there is no such system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// fn revive(mut commands: Commands) {
    ///     commands.entity(Entity::PLACEHOLDER).insert(Health(3));
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(revive).unwrap();
    /// assert!(world.take_command_errors().0[0].system().unwrap().ends_with("revive"));
    /// ```
    #[must_use]
    pub fn system(&self) -> Option<&'static str> {
        self.system
    }

    /// Returns where the command was recorded. Requires the feature `track_location`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.commands().entity(Entity::PLACEHOLDER).insert(Health(3));
    /// world.flush();
    /// println!("recorded at {}", world.take_command_errors().0[0].recorded_by());
    /// ```
    #[must_use]
    pub fn recorded_by(&self) -> Origin {
        self.by
    }
}

impl CommandError {
    /// Splits the error into the arguments of an error handler.
    fn into_handled(self) -> (EcsError, ErrorContext) {
        let Self { command, bundle, failure, system, by } = self;
        let error = match failure {
            CommandFailure::Entity(error) => error.into(),
            CommandFailure::NoIds(error) => error.into(),
            CommandFailure::Other(reason) => String::from(&*reason).into(),
            CommandFailure::Missed(missed) => {
                let text = alloc::format!("it has missed {missed} of `{bundle}`: they were gone before it ran");
                return (
                    EcsError::new(Severity::Warning, text),
                    ErrorContext::system_named(system.unwrap_or_default()),
                );
            }
            CommandFailure::Warning(text) => {
                let error = EcsError::new(Severity::Warning, String::from(&*text));
                let context = system.map_or_else(|| ErrorContext::command(command, None), ErrorContext::system_named);
                return (error, context);
            }
            CommandFailure::Observer { observer, reason } => {
                return (String::from(&*reason).into(), ErrorContext::observer(&observer, bundle));
            }
        };
        let name = match (command, bundle) {
            ("queue", own) => Cow::Borrowed(own),
            (command, "") => Cow::Borrowed(command),
            (command, bundle) => Cow::Owned(alloc::format!("{command}({bundle})")),
        };
        (error, ErrorContext { by, ..ErrorContext::command(name, system) })
    }
}

impl_from_variant!(CommandFailure: Entity(EntityError));

impl_error!([] CommandError => |this, f| {
    if let CommandFailure::Missed(missed) = this.failure {
        let (system, name) = (this.system.unwrap_or_default(), this.bundle);
        return write!(
            f,
            "system `{system}` has missed {missed} of `{name}`: they were gone before it ran; more that it misses are only counted"
        );
    }
    if let CommandFailure::Warning(text) = &this.failure {
        return f.write_str(text);
    }
    if let CommandFailure::Observer { observer, reason } = &this.failure {
        return write!(f, "observer `{observer}` of event `{}` failed: {reason}", this.bundle);
    }
    write!(f, "command `{}", this.command)?;
    if !this.bundle.is_empty() {
        write!(f, "({})", this.bundle)?;
    }
    f.write_str("`")?;
    if let Some(system) = this.system {
        write!(f, " of system `{system}`")?;
    }
    if let Some(location) = this.by.location() {
        write!(f, ", recorded at {location},")?;
    }
    f.write_str(" was not carried out: ")?;
    match &this.failure {
        CommandFailure::Entity(error) => error.fmt(f),
        CommandFailure::NoIds(error) => error.fmt(f),
        CommandFailure::Other(reason) | CommandFailure::Observer { reason, .. } => f.write_str(reason),
        CommandFailure::Missed(_) | CommandFailure::Warning(_) => Ok(()),
    }
});

/// The reaction to failed commands, failed observers and missed messages in a world without an [error handler](ErrorHandler).
///
/// A system that misses messages is reported once, the first time. If the system runs in parallel with others, the function is called, or
/// the panic starts, on the thread of the system.
///
/// See [`World::on_command_error`](crate::world::World::on_command_error).
#[derive(Clone, Copy, Default)]
pub enum OnCommandError {
    /// Reports the first error of each kind: as a warning of `tracing` with the feature `trace`, otherwise as a line on the standard error
    /// stream, if there is one. Errors are of the same kind if they have the same command, bundle and system and, with the feature
    /// `track_location`, were recorded by the same line. All errors are kept, as with `Keep`.
    #[default]
    Warn,
    /// Keeps the error until it is taken. At most 1024 errors are kept; further ones are only counted.
    Keep,
    /// Ignores the error.
    Ignore,
    /// Panics with the text of the error. The commands that follow in the queue are dropped.
    Panic,
    /// Calls this function.
    Call(fn(&CommandError)),
}

impl_debug!([] OnCommandError => |this, f| {
    f.write_str(match this {
        Self::Keep => "Keep",
        Self::Ignore => "Ignore",
        Self::Warn => "Warn",
        Self::Panic => "Panic",
        Self::Call(_) => "Call(..)",
    })
});

/// The command, the bundle and the system of an error, and where the command was recorded.
type ErrorKind = (&'static str, &'static str, Option<&'static str>, Origin);

/// The errors of commands, observers and systems since errors were last taken.
#[derive(Default)]
pub(crate) struct CommandErrors {
    /// The error handler of the world. If there is one it gets all errors, and `on_error` has no effect.
    pub(crate) handler: Option<ErrorHandler>,
    pub(crate) on_error: OnCommandError,
    list: Vec<CommandError>,
    uncounted: usize,
    /// The kinds of errors that have been reported.
    told: Vec<ErrorKind>,
    /// The system whose commands are being applied.
    pub(crate) system: Option<&'static str>,
    /// Errors of systems that may run in parallel. `take` moves them to `list`.
    from_systems: Mailbox<CommandError>,
    /// The number of errors for `from_systems` since errors were last taken. Only the first [`Self::KEPT`] of them are sent.
    from_systems_len: AtomicUsize,
    warned: ReportedWarnings,
}

/// The hashes of the keys of the warnings that have been reported. They are atomic, because systems that run in parallel report warnings
/// too.
#[derive(Default)]
struct ReportedWarnings([AtomicUsize; 32]);

impl ReportedWarnings {
    /// Adds the key of a warning. Returns false if the warning has been reported before, or if there is no room for more keys.
    fn insert(&self, text: &str) -> bool {
        let mut hasher = Fnv::default();
        hasher.write(text.as_bytes());
        let hash = hasher.finish() as usize | 1;
        for slot in &self.0 {
            match slot.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(other) if other == hash => return false,
                Err(_) => {}
            }
        }
        false
    }
}

impl CommandErrors {
    /// The maximum number of kept errors; further ones are only counted.
    const KEPT: usize = 1024;
    /// The maximum number of kinds of errors that are reported.
    const TOLD: usize = 256;

    #[cold]
    pub(crate) fn report(&mut self, command: &'static str, bundle: &'static str, failure: CommandFailure, by: Origin) {
        self.note(CommandError { command, bundle, failure, system: self.system, by });
    }

    /// Reports a failed command that is not for an entity.
    #[cold]
    pub(crate) fn report_other(&mut self, command: &'static str, error: impl Into<EcsError>, by: Origin) {
        let context = |errors: &Self| ErrorContext { by, ..ErrorContext::command(command, errors.system) };
        let Some(error) = self.handle(error.into(), context) else { return };
        let failure = CommandFailure::Other(error.to_string().into());
        self.note(CommandError { command, bundle: "", failure, system: self.system, by });
    }

    /// Passes an error to the error handler of the world. Returns the error if there is no handler.
    #[cold]
    pub(crate) fn handle(&self, error: EcsError, context: impl FnOnce(&Self) -> ErrorContext) -> Option<EcsError> {
        let Some(handler) = self.handler else { return Some(error) };
        handler(error, context(self));
        None
    }

    fn note(&mut self, error: CommandError) {
        if let Some(handler) = self.handler {
            let (error, context) = error.into_handled();
            return handler(error, context);
        }
        match self.on_error {
            OnCommandError::Keep => self.keep(error),
            OnCommandError::Ignore => {}
            OnCommandError::Warn => {
                self.warn(&error);
                self.keep(error);
            }
            OnCommandError::Panic => panic!("{error}"),
            OnCommandError::Call(handler) => handler(&error),
        }
    }

    /// Reports that a system has missed messages. The system may run in parallel with others.
    #[cold]
    pub(crate) fn report_missed(&self, system: &'static str, messages: &'static str, missed: u64) {
        let failure = CommandFailure::Missed(missed);
        self.report_shared(CommandError {
            command: "read",
            bundle: messages,
            failure,
            system: Some(system),
            by: Origin::UNKNOWN,
        });
    }

    /// Reports that the program lacks something, unless a warning with the same key has been reported. A warning is not an error, so it
    /// does not cause a panic even if errors do ([`OnCommandError::Panic`]).
    #[cold]
    pub(crate) fn warn_once(&self, key: &str, text: &dyn fmt::Display, system: Option<&'static str>) {
        if self.warned.insert(key) {
            let failure = CommandFailure::Warning(text.to_string().into());
            self.report_shared(CommandError { command: "warn", bundle: "", failure, system, by: Origin::UNKNOWN });
        }
    }

    /// Reports an error of a system that may run in parallel with others.
    fn report_shared(&self, error: CommandError) {
        if let Some(handler) = self.handler {
            let (error, context) = error.into_handled();
            return handler(error, context);
        }
        match self.on_error {
            OnCommandError::Ignore => return,
            OnCommandError::Warn => trace::warn(&error),
            OnCommandError::Keep => {}
            OnCommandError::Panic if matches!(error.failure, CommandFailure::Warning(_)) => trace::warn(&error),
            OnCommandError::Panic => panic!("{error}"),
            OnCommandError::Call(handler) => return handler(&error),
        }
        if self.from_systems_len.fetch_add(1, Ordering::Relaxed) < Self::KEPT {
            // The receiver lives as long as `self`, so sending cannot fail.
            let _ = self.from_systems.sender().send(error);
        }
    }

    fn keep(&mut self, error: CommandError) {
        if self.list.len() == Self::KEPT {
            self.uncounted += 1;
            return;
        }
        self.list.push(error);
    }

    /// Reports an error, unless an error of the same kind has been reported.
    fn warn(&mut self, error: &CommandError) {
        let kind = (error.command, error.bundle, error.system, error.by);
        if self.told.len() < Self::TOLD && !self.told.contains(&kind) {
            self.told.push(kind);
            trace::warn(error);
        }
    }

    /// Frees memory that the errors do not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        try_shrink(&mut self.list);
    }

    /// Returns the number of bytes that the list has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.list.capacity() * size_of::<CommandError>()
    }

    pub(crate) fn take(&mut self) -> (Vec<CommandError>, usize) {
        let came = core::mem::take(self.from_systems_len.get_mut());
        let mut kept = self.from_systems.take();
        // The errors are sorted, because the order in which systems ran may depend on threads.
        let missed = |error: &CommandError| if let CommandFailure::Missed(missed) = error.failure { missed } else { 0 };
        kept.sort_by_key(|error| (error.system, error.bundle, missed(error)));
        self.uncounted += came.saturating_sub(kept.len());
        kept.into_iter().for_each(|error| self.keep(error));
        (core::mem::take(&mut self.list), core::mem::take(&mut self.uncounted))
    }
}
