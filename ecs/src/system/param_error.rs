//! Why a system did not run.
//!
//! Tests: tests/systems/combined.rs, tests/systems/params/singles.rs

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use crate::util::error::{BoxError, EcsError};

/// A parameter could not be fetched when a system was about to run.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::ParamError;
/// # #[derive(Resource)] struct Score(u32);
/// # fn show(_: Res<Score>) {}
/// let mut schedule = Schedule::default();
/// schedule.add_systems(show);
/// let error = schedule.try_run(&mut World::new()).unwrap_err();
/// assert!(error.into_inner().is::<ParamError>()); // There is no `Score`.
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(alias("SystemParamValidationError"))]
pub struct ParamError {
    reason: Reason,
}

/// The reason why a parameter could not be fetched. Errors that can skip a system in every run share their text, so that they are
/// cheap to create.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Failure(String),
    /// The data of the parameter does not exist.
    Missing(String),
    NoEntity(Arc<str>),
    SeveralEntities(Arc<str>),
    /// The error of a parameter in an [`If`](crate::system::If).
    Skipped(String),
    /// Not an error of a parameter: a condition returned an error.
    Returned(ConditionError),
}

/// The error of a condition. Two such errors are equal if they come from the same run.
#[derive(Clone, Debug)]
struct ConditionError(Arc<EcsError>);

impl PartialEq for ConditionError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ConditionError {}

impl ParamError {
    #[cfg_attr(
        not(feature = "std"),
        expect(dead_code, reason = "threads are not told apart, so nothing but absence fails")
    )]
    pub(crate) fn new(message: String) -> Self {
        Self { reason: Reason::Failure(message) }
    }

    /// Creates the error for a parameter whose data does not exist.
    pub(crate) fn missing(message: String) -> Self {
        Self { reason: Reason::Missing(message) }
    }

    /// Creates the error for a run without rows.
    #[cold]
    pub(super) fn no_rows() -> Self {
        Self { reason: Reason::Skipped(String::from("there are no rows")) }
    }

    /// Creates the error for a system that is skipped because no entity matches the parameter with this name.
    pub(crate) fn no_entity(param: &Arc<str>) -> Self {
        Self { reason: Reason::NoEntity(Arc::clone(param)) }
    }

    /// Creates the error for a system that is skipped because more than one entity matches the parameter with this name.
    pub(crate) fn several_entities(param: &Arc<str>) -> Self {
        Self { reason: Reason::SeveralEntities(Arc::clone(param)) }
    }

    /// Creates the error for a condition that returned an error.
    pub(crate) fn returned(error: EcsError) -> Self {
        Self { reason: Reason::Returned(ConditionError(Arc::new(error))) }
    }

    /// Converts into an error for an error handler. If a condition returned an error, this is that error.
    pub(crate) fn into_box(self) -> BoxError {
        match self.reason {
            Reason::Returned(ConditionError(error)) => match Arc::try_unwrap(error) {
                Ok(error) => error.into_box(),
                Err(shared) => Box::new(Self { reason: Reason::Returned(ConditionError(shared)) }),
            },
            reason => Box::new(Self { reason }),
        }
    }

    /// Returns the same error as one that skips the system.
    pub(crate) fn into_skip(self) -> Self {
        let reason = match self.reason {
            Reason::Failure(message) | Reason::Missing(message) => Reason::Skipped(message),
            other => other,
        };
        Self { reason }
    }

    /// Returns the same error for a field that has a message of its own.
    #[cold]
    pub(crate) fn of_field(self, field: &str, message: &str) -> Self {
        let text = alloc::format!("Parameter `{field}` failed validation: {message}: {self}");
        let reason = match self.reason {
            Reason::Failure(_) => Reason::Failure(text),
            Reason::Missing(_) => Reason::Missing(text),
            Reason::NoEntity(_) | Reason::SeveralEntities(_) | Reason::Skipped(_) => Reason::Skipped(text),
            returned @ Reason::Returned(_) => returned,
        };
        Self { reason }
    }

    /// Returns whether the system is skipped. This is not a failure: a schedule goes on with the next system, and a condition does
    /// not hold. [`Single`](crate::system::Single), [`Populated`](crate::system::Populated) and [`If`](crate::system::If) return
    /// such errors.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug)] struct Player;
    /// # #[derive(Resource, Debug)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut player = SystemState::<Single<&Player>>::new(&mut world);
    /// assert!(player.get(&world).unwrap_err().is_skip());
    /// let mut score = SystemState::<Res<Score>>::new(&mut world);
    /// assert!(!score.get(&world).unwrap_err().is_skip());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_skip(&self) -> bool {
        !matches!(self.reason, Reason::Failure(_) | Reason::Missing(_) | Reason::Returned(_))
    }

    /// Returns whether the only problem is that there is nothing to fetch. An `Option` of the parameter is then `None`.
    pub(crate) fn is_absence(&self) -> bool {
        !matches!(self.reason, Reason::Failure(_) | Reason::Returned(_))
    }
}

impl_display!([] ParamError => |this, f| match &this.reason {
    Reason::Failure(message) | Reason::Missing(message) | Reason::Skipped(message) => f.write_str(message),
    Reason::NoEntity(param) => write!(f, "no entity matches {param}"),
    Reason::SeveralEntities(param) => write!(f, "more than one entity matches {param}"),
    Reason::Returned(ConditionError(error)) => error.fmt(f),
});

impl core::error::Error for ParamError {}

/// A system could not run.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
///
/// fn show(score: Res<Score>) -> u32 {
///     score.0
/// }
///
/// let error = World::new().run_system_once(show).unwrap_err();
/// assert!(error.to_string().contains("show` could not run"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunSystemError {
    system: String,
    error: ParamError,
}

impl RunSystemError {
    pub(crate) fn new(system: &str, error: ParamError) -> Self {
        Self { system: String::from(system), error }
    }

    /// Returns the error of the parameter.
    pub(crate) fn into_param_error(self) -> ParamError {
        self.error
    }

    /// Returns whether the system was skipped, as a schedule would skip it: for example because no entity, or more than one,
    /// matches a [`Single`](crate::system::Single), or none matches a [`Populated`](crate::system::Populated). See
    /// [`ParamError::is_skip`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Player;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.run_system_once(|_: Single<&Player>| ()).unwrap_err().is_skip());
    /// assert!(!world.run_system_once(|_: Res<Score>| ()).unwrap_err().is_skip());
    /// ```
    #[must_use]
    pub fn is_skip(&self) -> bool {
        self.error.is_skip()
    }
}

impl_display!([] RunSystemError => |this, f| write!(f, "system `{}` could not run: {}", this.system, this.error));

impl core::error::Error for RunSystemError {}
