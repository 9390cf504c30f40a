//! Commands that could not be carried out.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::hash::Hasher;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::alloc_error::try_shrink;
use crate::entity::{EntityError, EntityIdsExhausted};
use crate::error::{EcsError, ErrorContext, ErrorHandler, Severity};
use crate::fnv::Fnv;
use crate::mailbox::Mailbox;
use crate::origin::Origin;
use crate::trace;

/// A command that could not be carried out, since its entity was not alive, or its system could not run; or an observer that has
/// failed, or messages that a system has missed. The other commands and observers ran all the same.
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

/// Why a command could not be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CommandFailure {
    Entity(EntityError),
    /// A new one.
    NoIds(EntityIdsExhausted),
    Other(Arc<str>),
    /// So many messages were gone before the system ran.
    Missed(u64),
    /// The program lacks something that the text names.
    Warning(Arc<str>),
    /// An observer has failed.
    Observer {
        observer: Arc<str>,
        reason: Arc<str>,
    },
}

impl CommandError {
    /// What the command was to do: `insert`, `remove`, `despawn`, `spawn`, `run_system`,
    /// `unregister_system` or `run_schedule`; `trigger` for an observer that has failed, or an event that was not told; `read` if a
    /// system has missed messages; `warn` for a warning of [`World::warn_once`](crate::world::World::warn_once).
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

    /// The name of the type that was to be inserted, removed or read, or of the event; empty if there is none.
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

    /// What is wrong with the entity; `None` if the command was for a system, or there was no id for a new one.
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

    /// The system that queued the command, if a system did, or that has missed messages.
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

    /// Where the command was recorded. Known with the feature `track_location` only.
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
    /// Splits the error into what an error handler gets.
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

/// What happens in a world without an [error handler](ErrorHandler) when a command cannot be carried out, when an observer fails, and
/// when a system has missed messages.
///
/// A system is reported once, the first time that it has missed some: it may be one that runs beside others, so a function is
/// called, and a panic begins, on the thread that it runs on.
///
/// See [`World::on_command_error`](crate::world::World::on_command_error).
#[derive(Clone, Copy, Default)]
pub enum OnCommandError {
    /// The first error of each kind is told of: as a warning of `tracing` with the feature `trace`, or else as a line on the
    /// standard error stream, if there is one. Of one kind are errors of the same command with the same bundle, of the same
    /// system. All errors are kept, as with `Keep`.
    #[default]
    Warn,
    /// The error is kept until the caller takes it: up to 1024 of them, the rest are counted.
    Keep,
    /// Nothing.
    Ignore,
    /// A panic with the text of the error. The commands behind it are dropped.
    Panic,
    /// This function is called.
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

/// Command, bundle, system, and where it was recorded.
type ErrorKind = (&'static str, &'static str, Option<&'static str>, Origin);

/// The commands that could not be carried out since errors were last taken.
#[derive(Default)]
pub(crate) struct CommandErrors {
    /// The error handler of the world. If there is one it gets all errors, and `on_error` has no effect.
    pub(crate) handler: Option<ErrorHandler>,
    pub(crate) on_error: OnCommandError,
    list: Vec<CommandError>,
    uncounted: usize,
    /// The kinds of errors that have been told of.
    told: Vec<ErrorKind>,
    /// The system whose commands are being applied.
    pub(crate) system: Option<&'static str>,
    /// Errors of systems that may run beside others, which are to be kept.
    from_systems: Mailbox<CommandError>,
    /// How many have come there since errors were last taken.
    from_systems_len: AtomicUsize,
    warned: Warned,
}

/// The warnings that were reported, by the hash of their text. Systems that run in parallel report some.
#[derive(Default)]
struct Warned([AtomicUsize; 32]);

impl Warned {
    /// Adds a text. Returns false if it was reported before, or if there is no room for more.
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
    /// How many are kept; more are only counted.
    const KEPT: usize = 1024;
    /// How many kinds are told of.
    const TOLD: usize = 256;

    #[cold]
    pub(crate) fn report(&mut self, command: &'static str, bundle: &'static str, failure: CommandFailure, by: Origin) {
        self.note(CommandError { command, bundle, failure, system: self.system, by });
    }

    /// Reports a command that is not for an entity.
    #[cold]
    pub(crate) fn report_other(&mut self, command: &'static str, error: impl Into<EcsError>, by: Origin) {
        let context = |errors: &Self| ErrorContext { by, ..ErrorContext::command(command, errors.system) };
        let Some(error) = self.handle(error.into(), context) else { return };
        let failure = CommandFailure::Other(error.to_string().into());
        self.note(CommandError { command, bundle: "", failure, system: self.system, by });
    }

    /// Passes an error to the error handler of the world; gives it back if there is none.
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

    /// Reports that a system has missed messages, which may run beside others.
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

    /// Reports that the program lacks something, unless something with the same key was reported before. It is no error, so it does not panic where
    /// errors do.
    #[cold]
    pub(crate) fn warn_once(&self, key: &str, text: &dyn fmt::Display, system: Option<&'static str>) {
        if self.warned.insert(key) {
            let failure = CommandFailure::Warning(text.to_string().into());
            self.report_shared(CommandError { command: "warn", bundle: "", failure, system, by: Origin::UNKNOWN });
        }
    }

    /// Reports an error of a system that may run beside others.
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
            // The mailbox is there as long as this.
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

    /// Tells of an error unless it is of a kind that has been told of.
    fn warn(&mut self, error: &CommandError) {
        let kind = (error.command, error.bundle, error.system, error.by);
        if self.told.len() < Self::TOLD && !self.told.contains(&kind) {
            self.told.push(kind);
            trace::warn(error);
        }
    }

    /// Gives back the memory that the errors do not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        try_shrink(&mut self.list);
    }

    /// The bytes that the list has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.list.capacity() * size_of::<CommandError>()
    }

    pub(crate) fn take(&mut self) -> (Vec<CommandError>, usize) {
        let came = core::mem::take(self.from_systems_len.get_mut());
        let mut kept = self.from_systems.take();
        // Which system ran first may depend on threads.
        let missed = |error: &CommandError| if let CommandFailure::Missed(missed) = error.failure { missed } else { 0 };
        kept.sort_by_key(|error| (error.system, error.bundle, missed(error)));
        self.uncounted += came.saturating_sub(kept.len());
        kept.into_iter().for_each(|error| self.keep(error));
        (core::mem::take(&mut self.list), core::mem::take(&mut self.uncounted))
    }
}
