//! What every system can do, and what it tells of itself.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use crate::access::{Access, ParamAccess};
use crate::cell::Cell;
use crate::store::Store;

/// Something that a schedule can run: see [`IntoSystem`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::System;
///
/// fn idle() {}
///
/// fn describe<S: System + ?Sized>(system: &S) -> String {
///     format!("{}, alone: {}", system.name(), system.access().is_exclusive())
/// }
/// assert!(describe(&*IntoSystem::into_system(idle)).ends_with("idle, alone: false"));
/// ```
pub trait System: Send + Sync + 'static {
    /// What it is given; `()` for systems of a schedule.
    type In;
    /// What it returns.
    type Out;

    /// The name of the function, with its modules.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let system = IntoSystem::into_system(idle);
    /// assert!(system.name().ends_with("::idle"));
    /// ```
    fn name(&self) -> &'static str;

    /// What it borrows. Complete once it has been initialised.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn restart(world: &mut World) { world.clear_entities(); }
    /// let system = IntoSystem::into_system(restart);
    /// assert!(system.access().is_exclusive());
    /// ```
    fn access(&self) -> &Access;

    /// Prepares the system for a world.
    ///
    /// # Panics
    ///
    /// If two parameters are in each other's way.
    #[doc(hidden)]
    fn initialize(&mut self, store: &mut Store);

    /// Runs the system, without applying its commands.
    ///
    /// # Safety
    ///
    /// - Nothing that the system borrows is borrowed otherwise.
    /// - The system has been initialised for this store.
    #[doc(hidden)]
    unsafe fn run_shared(&mut self, input: Self::In, cell: Cell<'_>) -> Result<Self::Out, ParamError>;

    /// Runs the system on a world that nobody else uses, without applying its commands. Initialises it if need be.
    #[doc(hidden)]
    fn run_alone(&mut self, input: Self::In, store: &mut Store) -> Result<Self::Out, ParamError>;

    /// Applies the commands that the system has recorded.
    #[doc(hidden)]
    fn apply_deferred(&mut self, store: &mut Store);
}

/// A system of any kind.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::BoxedSystem;
/// # fn first() {}
/// # fn second(_world: &mut World) {}
/// let systems: Vec<BoxedSystem> = vec![IntoSystem::into_system(first), IntoSystem::into_system(second)];
/// assert!(systems[1].name().ends_with("second"));
/// ```
pub type BoxedSystem<In = (), Out = ()> = Box<dyn System<In = In, Out = Out>>;

impl<In: 'static, Out: 'static> fmt::Debug for dyn System<In = In, Out = Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("System").field(&self.name()).finish()
    }
}

/// What can be turned into a system: functions whose parameters are all [`SystemParam`](crate::system::SystemParam)s,
/// functions of `&mut World`, and items made by `#[system]`.
///
/// `Marker` only keeps the kinds apart; it is always inferred.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn name_of<Out: 'static, Marker>(system: impl IntoSystem<(), Out, Marker>) -> &'static str {
///     IntoSystem::into_system(system).name()
/// }
/// fn count(entities: Query<Entity>) -> usize {
///     entities.count()
/// }
/// assert!(name_of(count).ends_with("::count"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "a system is a function whose parameters are all system parameters: `Query`, `Res`, `ResMut`, `Local`, \
            `Commands`, `&World`, tuples of these; or only `&mut World`",
    note = "write `#[system]` above a function over components (`&T`, `&mut T`); above any other one, it shows which parameter \
            is wrong"
)]
pub trait IntoSystem<In, Out, Marker>: Sized {
    /// The system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let system = IntoSystem::into_system(idle);
    /// assert!(system.name().ends_with("::idle"));
    /// ```
    fn into_system(this: Self) -> BoxedSystem<In, Out>;
}

/// A parameter could not be fetched when a system was about to run.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::ParamError;
/// # #[derive(Resource)] struct Score(u32);
/// # fn show(_: Res<Score>) {}
/// let mut schedule = Schedule::new();
/// schedule.add_systems(show);
/// let error = schedule.try_run(&mut World::new()).unwrap_err();
/// assert!(error.into_inner().is::<ParamError>()); // There is no `Score`.
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamError {
    message: String,
}

impl ParamError {
    pub(crate) fn new(message: String) -> Self {
        Self { message }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

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
    system: &'static str,
    error: ParamError,
}

impl RunSystemError {
    pub(crate) fn new(system: &'static str, error: ParamError) -> Self {
        Self { system, error }
    }
}

impl fmt::Display for RunSystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "system `{}` could not run: {}", self.system, self.error)
    }
}

impl core::error::Error for RunSystemError {}

/// What a system knows of itself.
#[derive(Debug)]
pub struct SystemMeta {
    name: &'static str,
    /// The names of the parameters, if they are known. Those of rows come first.
    params: &'static [&'static str],
    /// How many of the names belong to the first parameter, the rows.
    rows: usize,
    access: Access,
    /// The number of the parameter that is being initialised.
    param: usize,
}

impl SystemMeta {
    pub(crate) fn new(name: &'static str, params: &'static [&'static str], count: usize) -> Self {
        let rows = if params.len() > count { params.len() + 1 - count } else { 1 };
        Self { name, params, rows, access: Access::default(), param: 0 }
    }

    /// The name of the system.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// Forgets what was borrowed in another world.
    pub(crate) fn restart(&mut self) {
        self.access = Access::default();
        self.param = 0;
    }

    /// Goes on to the next parameter.
    pub(crate) fn next_param(&mut self) {
        self.param += 1;
    }

    /// Adds what the current parameter borrows.
    ///
    /// # Panics
    ///
    /// If an earlier one is in its way.
    pub(crate) fn add_access(&mut self, access: ParamAccess, store: &Store) {
        if let Err(conflict) = self.access.add(self.param, access, &store.components) {
            panic!(
                "system `{}`: {} and {} both borrow {}, one of them mutably; make them disjoint with `With`/`Without` \
                 filters, or borrow it in one parameter only",
                self.name,
                self.describe(conflict.first),
                self.describe(conflict.second),
                conflict.what,
            );
        }
    }

    /// As in "parameter `health`" or "parameter 2".
    pub(crate) fn describe(&self, param: usize) -> String {
        if self.params.is_empty() {
            return alloc::format!("parameter {}", param + 1);
        }
        let names = match param {
            0 => self.params.get(..self.rows),
            _ => self.params.get(self.rows + param - 1..self.rows + param),
        };
        match names {
            Some([name]) => alloc::format!("parameter `{name}`"),
            Some(names) if !names.is_empty() => alloc::format!("the row parameters `{}`", names.join("`, `")),
            _ => alloc::format!("parameter {}", param + 1),
        }
    }
}
