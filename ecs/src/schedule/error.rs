//! Errors of building and running a schedule.
//!
//! Tests: tests/schedules/schedule/errors.rs, tests/schedules/schedule/orders.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::schedule::label::InternedScheduleLabel;
use crate::system::ParamError;
use crate::util::error::{BoxError, EcsError, ErrorContext, ErrorHandler, Severity, severity_of, without_severity};
use crate::util::trace;

/// The error of a schedule that could not be run, or of a system that failed.
///
/// ```
/// use strata_ecs::prelude::*;
/// fn parse() -> Result {
///     "twelve".parse::<u32>()?;
///     Ok(())
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems(parse);
/// let error = schedule.try_run(&mut World::new()).unwrap_err();
/// assert!(error.to_string().contains("parse` failed: invalid digit"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The ordering constraints contradict each other. No system has run.
    Build(ScheduleBuildError),
    /// A system failed.
    System(SystemError),
    /// The schedule has no set with this name, or no system with this function.
    SetNotFound(String),
}

impl ScheduleError {
    /// Returns the name of the system that failed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn broken() -> Result { Err("broken".into()) }
    /// # let mut schedule = Schedule::default();
    /// schedule.add_systems(broken);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err();
    /// assert!(error.system().unwrap().ends_with("broken"));
    /// ```
    #[must_use]
    pub fn system(&self) -> Option<&str> {
        match self {
            Self::Build(_) | Self::SetNotFound(_) => None,
            Self::System(error) => Some(error.system()),
        }
    }

    /// Returns the inner error: the error that the system returned, a [`ParamError`] if the system could not run, or a
    /// [`ScheduleBuildError`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::num::ParseIntError;
    /// # fn parse() -> Result { "twelve".parse::<u32>()?; Ok(()) }
    /// # let mut schedule = Schedule::default();
    /// schedule.add_systems(parse);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err();
    /// assert!(error.into_inner().is::<ParseIntError>());
    /// ```
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        match self {
            Self::Build(error) => error.into(),
            Self::System(error) => error.error,
            error @ Self::SetNotFound(_) => error.into(),
        }
    }
}

impl_display!([] ScheduleError => |this, f| match this {
    Self::Build(error) => error.fmt(f),
    Self::System(error) => error.fmt(f),
    Self::SetNotFound(set) => write!(f, "the schedule has no set and no system `{set}`"),
});

impl core::error::Error for ScheduleError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Build(_) | Self::SetNotFound(_) => None,
            Self::System(error) => Some(&*error.error),
        }
    }
}

impl_from!([] ScheduleBuildError => ScheduleError, |error| Self::Build(error));

/// The error of a schedule in a world that could not be run, or that failed.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::TryRunScheduleError;
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Update;
///
/// let error = World::new().try_run_schedule(Update).unwrap_err();
/// assert!(matches!(error, TryRunScheduleError::NotFound(label) if label == Update.intern()));
/// assert!(error.to_string().starts_with("schedule `Update` does not exist"));
/// ```
#[derive(Debug)]
pub enum TryRunScheduleError {
    /// The world has no schedule with this label.
    NotFound(InternedScheduleLabel),
    /// The schedule is running.
    Running(InternedScheduleLabel),
    /// A system of the schedule failed, or the schedule could not be built.
    Failed(InternedScheduleLabel, ScheduleError),
}

impl TryRunScheduleError {
    /// Returns the label of the schedule.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let error = World::new().try_run_schedule(Update).unwrap_err();
    /// assert_eq!(error.label(), Update.intern());
    /// ```
    #[must_use]
    pub fn label(&self) -> InternedScheduleLabel {
        match self {
            Self::NotFound(label) | Self::Running(label) | Self::Failed(label, _) => *label,
        }
    }
}

impl_display!([] TryRunScheduleError => |this, f| match this {
    Self::NotFound(label) => write!(
        f,
        "schedule `{label:?}` does not exist; `World::add_schedule` adds one, and so does `Schedules::add_systems`"
    ),
    Self::Running(label) => {
        write!(
            f,
            "schedule `{label:?}` is running, so it cannot be run: neither by its systems, nor by what they run"
        )
    }
    Self::Failed(label, ScheduleError::System(error)) => error.fmt_in_schedule(*label, f),
    Self::Failed(label, error) => write!(f, "schedule `{label:?}`: {error}"),
});

impl core::error::Error for TryRunScheduleError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Failed(_, error) => Some(error),
            _ => None,
        }
    }
}

/// The error of a system or condition that failed in a run of a schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::{OnError, SystemError};
///
/// fn broken() -> Result {
///     Err("no bread".into())
/// }
///
/// fn log(error: &SystemError) -> OnError {
///     assert!(error.system().ends_with("broken"));
///     assert_eq!(error.error().to_string(), "no bread");
///     OnError::Continue
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems(broken).set_error_handler(log);
/// schedule.run(&mut World::new());
/// ```
#[derive(Debug)]
pub struct SystemError {
    pub(super) system: String,
    /// If a condition failed and not a system: the owner of the condition.
    pub(super) condition_of: Option<ConditionOwner>,
    pub(super) schedule: Option<InternedScheduleLabel>,
    pub(super) error: BoxError,
    /// Whether the run returns the error, and the systems that are ordered after the failed one do not run.
    pub(super) stops: bool,
}

impl SystemError {
    getters! {
        /// Returns the name of the system, or of the run condition if the condition failed.
        pub fn system(&self) -> &str = &self.system;

        /// Returns the name of the schedule, if it has one.
        pub fn schedule(&self) -> Option<InternedScheduleLabel> = self.schedule;
    }

    /// Returns the severity of the error.
    #[must_use]
    pub fn severity(&self) -> Severity {
        severity_of(&self.error)
    }

    /// Returns the error that the system returned, or a [`ParamError`] if the system could not run. If a severity or a
    /// context was added to the error, the original error is the [`source`](core::error::Error::source) of it.
    #[must_use]
    pub fn error(&self) -> &BoxError {
        &self.error
    }
}

/// The system or set that a run condition belongs to.
#[derive(Clone, Debug)]
pub(super) enum ConditionOwner {
    System(String),
    /// A set, with its label. The set of a tuple has no label.
    Set(Option<String>),
}

impl SystemError {
    /// Passes the error to the error handler of the world. Afterwards this error contains only the text of the passed
    /// one.
    pub(super) fn hand_over(&mut self, handler: ErrorHandler) {
        let text = self.error.to_string();
        let error = core::mem::replace(&mut self.error, text.into());
        match into_nested(error) {
            Ok(nested) => {
                let context = nested.context();
                handler(EcsError::from(nested.error), context);
            }
            Err(error) => handler(EcsError::from(error), self.context()),
        }
    }

    fn context(&self) -> ErrorContext {
        let name = self.system.clone();
        let context = match self.condition_of.clone() {
            None => ErrorContext::system_named(name),
            Some(ConditionOwner::System(system)) => {
                ErrorContext { system: Some(system.into()), ..ErrorContext::run_condition(name) }
            }
            Some(ConditionOwner::Set(set)) => {
                ErrorContext { set: set.map(Into::into), ..ErrorContext::run_condition(name) }
            }
        };
        let schedule = self.schedule.map(|label| alloc::format!("{label:?}").into());
        ErrorContext { schedule, ..context }
    }

    /// Formats the error for the schedule with this label. If the failing system belongs to another schedule, the text
    /// contains the name of that schedule.
    fn fmt_in_schedule(&self, label: InternedScheduleLabel, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if names_system(&self.error) {
            return fmt::Display::fmt(&self.error, f);
        }
        write!(f, "schedule `{label:?}`: ")?;
        self.fmt_system(self.schedule.filter(|own| *own != label), f)
    }

    fn fmt_system(&self, schedule: Option<InternedScheduleLabel>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.condition_of {
            None => write!(f, "system `{}`", self.system)?,
            Some(ConditionOwner::System(system)) => write!(f, "run condition `{}` of system `{system}`", self.system)?,
            Some(ConditionOwner::Set(Some(set))) => write!(f, "run condition `{}` of set `{set}`", self.system)?,
            Some(ConditionOwner::Set(None)) => write!(f, "run condition `{}`", self.system)?,
        }
        if let Some(schedule) = schedule {
            write!(f, " of schedule `{schedule:?}`")?;
        }
        let did = if self.error.is::<ParamError>() { "could not run" } else { "failed" };
        write!(f, " {did}: {}", self.error)
    }
}

/// Returns whether an error was returned by a nested run of a schedule, for one of its systems. The text of such an
/// error already contains the names of the system and of the schedule.
fn names_system(error: &BoxError) -> bool {
    let error = without_severity(error);
    error.is::<SystemError>()
        || matches!(error.downcast_ref(), Some(TryRunScheduleError::Failed(..)))
        || matches!(error.downcast_ref(), Some(ScheduleError::System(_)))
}

/// Returns the innermost system error, if the error came from a nested run of a schedule.
fn into_nested(error: BoxError) -> Result<SystemError, BoxError> {
    let nested = match error.downcast::<TryRunScheduleError>() {
        Ok(failed) => match *failed {
            TryRunScheduleError::Failed(_, ScheduleError::System(nested)) => nested,
            other => return Err(other.into()),
        },
        Err(error) => match error.downcast::<ScheduleError>() {
            Ok(failed) => match *failed {
                ScheduleError::System(nested) => nested,
                other => return Err(other.into()),
            },
            Err(error) => *error.downcast::<SystemError>()?,
        },
    };
    let SystemError { system, condition_of, schedule, error, stops } = nested;
    into_nested(error).or_else(|error| Ok(SystemError { system, condition_of, schedule, error, stops }))
}

impl_display!([] SystemError => |this, f|
    if names_system(&this.error) { this.error.fmt(f) } else { this.fmt_system(this.schedule, f) });

impl core::error::Error for SystemError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&*self.error)
    }
}

/// Determines whether the run continues after a system has failed. Returned by the function that was passed to
/// [`Schedule::set_error_handler`](super::Schedule::set_error_handler). In a schedule without such a function, errors
/// are passed to the [error handler](ErrorHandler) of the world, if there is one, and the run continues.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::OnError;
///
/// fn load() -> Result {
///     Err("no such file".into())
/// }
///
/// fn draw(mut frames: ResMut<Frames>) {
///     frames.0 += 1;
/// }
/// # #[derive(Resource)] struct Frames(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Frames(0));
/// let mut schedule = Schedule::default();
/// schedule.add_systems((load, draw).chain());
///
/// // By default `draw`, which comes after `load`, does not run.
/// assert!(schedule.try_run(&mut world).is_err());
/// assert_eq!(world.resource::<Frames>().0, 0);
///
/// schedule.set_error_handler(|_| OnError::Continue);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Frames>().0, 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnError {
    /// The systems that are ordered after the failed one do not run in this run. At its end, the run returns the error.
    #[default]
    Stop,
    /// The run continues as if the system had not failed.
    Continue,
}

/// Decides by the severity of an error, if neither the schedule nor the world has an error handler: the run continues
/// after errors up to [`Severity::Warning`].
pub(super) fn by_severity(error: &SystemError) -> OnError {
    match error.severity() {
        Severity::Warning => trace::warn(error),
        Severity::Error | Severity::Panic => return OnError::Stop,
        _ => {}
    }
    OnError::Continue
}

/// The reason why a schedule cannot be built.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::ScheduleBuildError;
/// # fn plough() {}
/// # fn sow() {}
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems((plough.after(sow), sow.after(plough)));
/// let error = schedule.initialize(&mut World::new()).unwrap_err();
/// assert!(matches!(&error, ScheduleBuildError::Cycle { .. }));
/// assert!(error.to_string().contains("plough"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScheduleBuildError {
    /// Systems or sets would have to run before themselves. Each system or set in the list comes before the next one,
    /// and the last one comes before the first.
    Cycle {
        /// The names of the systems or sets.
        cycle: Vec<String>,
    },
    /// Sets would contain themselves. Each set in the list is in the next one, and the last one is in the first.
    SetCycle {
        /// The names of the sets.
        cycle: Vec<String>,
    },
    /// A constraint refers to a system or a set that the schedule does not have.
    Unknown {
        /// The name of the missing system or set.
        missing: String,
        /// The name of the system or set with the constraint.
        by: String,
    },
    /// A constraint refers to a system that the schedule has several times.
    Duplicate {
        /// The name of the system.
        system: String,
        /// The name of the system or set with the constraint.
        by: String,
    },
    /// Two parameters of a system or condition conflict, and the compiler could not detect this. The text contains the
    /// names of the system and of both parameters.
    Parameters(String),
    /// A condition has write access to the world.
    ConditionWrites {
        /// The name of the condition.
        condition: String,
    },
    /// Systems without an order conflict, and the settings of the schedule do not allow it.
    Ambiguous(Vec<Ambiguity>),
}

impl fmt::Display for ScheduleBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle { cycle } => {
                f.write_str(
                    "the systems of the schedule cannot be ordered, as these would have to run before themselves: ",
                )?;
                write_cycle(f, cycle, " before ")
            }
            Self::SetCycle { cycle } => {
                f.write_str("sets of the schedule would have to be in themselves: ")?;
                write_cycle(f, cycle, " in ")
            }
            Self::Unknown { missing, by } => write!(
                f,
                "`{by}` is ordered by `{missing}`, which the schedule does not have: add it, or say with `configure_sets` \
                 that the set exists"
            ),
            Self::Duplicate { system, by } => write!(
                f,
                "`{by}` is ordered by `{system}`, which the schedule has several times: put the one that is meant into a set"
            ),
            Self::Parameters(why) => f.write_str(why),
            Self::ConditionWrites { condition } => {
                write!(f, "condition `{condition}` can change the world: a condition may only read")
            }
            Self::Ambiguous(all) => {
                match all.len() {
                    1 => writeln!(f, "the order of two systems matters, and is not given:")?,
                    pairs => writeln!(f, "the order of {pairs} pairs of systems matters, and is not given:")?,
                }
                all.iter().try_for_each(|ambiguity| writeln!(f, "  {ambiguity}"))?;
                f.write_str(
                    "order them with `.before`, `.after` or `.chain()`; keep them apart with `With`/`Without` filters; or \
                     allow it with `.ambiguous_with(..)`",
                )
            }
        }
    }
}

impl core::error::Error for ScheduleBuildError {}

fn write_cycle(f: &mut fmt::Formatter<'_>, cycle: &[String], between: &str) -> fmt::Result {
    for name in cycle {
        write!(f, "`{name}`{between}")?;
    }
    match cycle.first() {
        Some(first) => write!(f, "`{first}`"),
        None => Ok(()),
    }
}

/// Two conflicting systems without an order. They run in the order in which they were added.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(i32);
///
/// fn heal(mut all: Query<&mut Health>) {
///     all.iter_mut().for_each(|mut health| health.0 += 1);
/// }
/// fn halve(mut all: Query<&mut Health>) {
///     all.iter_mut().for_each(|mut health| health.0 /= 2);
/// }
///
/// let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((heal, halve));
/// schedule.initialize(&mut world).unwrap();
/// let found = schedule.ambiguities(&world);
/// assert!(found[0].systems[0].ends_with("heal"));
/// println!("{}", found[0]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ambiguity {
    /// The names of the systems, in the order in which they run.
    pub systems: [String; 2],
    /// The conflicting accesses, for instance "component `Position`". At least one of the two systems accesses the data
    /// mutably.
    pub conflicts: Vec<String>,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.systems;
        write!(f, "`{first}` and `{second}` on {}", self.conflicts.join(", "))
    }
}
