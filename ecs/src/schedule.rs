//! Schedules: systems that run one after the other.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::access::Access;
use crate::cell::Cell;
use crate::store::Store;
use crate::system::{BoxError, BoxedSystem, IntoSystem, ParamError, System, SystemOutput};

/// What all systems of a schedule are turned into.
type ScheduleSystem = BoxedSystem<(), Result<(), BoxError>>;

/// A system that may return anything that counts as success or failure.
struct Fallible<Out>(BoxedSystem<(), Out>);

impl<Out: SystemOutput> System for Fallible<Out> {
    type In = ();
    type Out = Result<(), BoxError>;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn access(&self) -> &Access {
        self.0.access()
    }

    fn initialize(&mut self, store: &mut Store) {
        self.0.initialize(store);
    }

    unsafe fn run_shared(&mut self, (): (), cell: Cell<'_>) -> Result<Self::Out, ParamError> {
        // SAFETY: the caller's promise.
        unsafe { self.0.run_shared((), cell) }.map(SystemOutput::into_result)
    }

    fn run_alone(&mut self, (): (), store: &mut Store) -> Result<Self::Out, ParamError> {
        self.0.run_alone((), store).map(SystemOutput::into_result)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.0.apply_deferred(store);
    }
}

/// Systems on their way into a schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn first() {}
/// # fn second() {}
/// let both = (first, second).into_configs();
/// let mut schedule = Schedule::new();
/// schedule.add_systems(both);
/// assert_eq!(schedule.systems_len(), 2);
/// ```
#[derive(Default)]
pub struct ScheduleConfigs {
    systems: Vec<ScheduleSystem>,
}

impl fmt::Debug for ScheduleConfigs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.systems.iter().map(|system| system.name())).finish()
    }
}

/// What can be added to a schedule: systems that return `()` or `Result`, and tuples of up to 15 of these, nested.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn first() {}
/// # fn second() {}
/// # fn fallible() -> Result { Ok(()) }
/// let mut schedule = Schedule::new();
/// schedule.add_systems(first).add_systems((second, (first, fallible)));
/// assert_eq!(schedule.systems_len(), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to a schedule: it is not a system",
    label = "not a system, nor a tuple of systems",
    note = "a system is a function whose parameters are all system parameters and that returns `()` or `Result`",
    note = "write `#[system]` above a function over components (`&T`, `&mut T`); above any other one, it shows which parameter \
            is wrong"
)]
pub trait IntoScheduleConfigs<Marker>: Sized {
    /// The systems.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::ScheduleConfigs;
    /// # fn first() {}
    /// # fn second() {}
    ///
    /// fn plugin() -> ScheduleConfigs {
    ///     (first, second).into_configs()
    /// }
    /// let mut schedule = Schedule::new();
    /// schedule.add_systems((plugin(), plugin()));
    /// assert_eq!(schedule.systems_len(), 4);
    /// ```
    fn into_configs(self) -> ScheduleConfigs;

    /// The systems, each of which runs after the one before it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add_systems((first, second).chain());
    /// assert!(schedule.system_names()[1].ends_with("second"));
    /// ```
    fn chain(self) -> ScheduleConfigs {
        self.into_configs()
    }
}

impl IntoScheduleConfigs<()> for ScheduleConfigs {
    fn into_configs(self) -> ScheduleConfigs {
        self
    }
}

/// Keeps single systems apart from tuples.
#[doc(hidden)]
pub struct SystemConfigMarker;

#[diagnostic::do_not_recommend]
impl<S, Out, Marker> IntoScheduleConfigs<(SystemConfigMarker, Out, Marker)> for S
where
    S: IntoSystem<(), Out, Marker>,
    Out: SystemOutput,
{
    fn into_configs(self) -> ScheduleConfigs {
        let system: ScheduleSystem = Box::new(Fallible(S::into_system(self)));
        ScheduleConfigs { systems: alloc::vec![system] }
    }
}

/// Keeps tuples apart from single systems.
#[doc(hidden)]
pub struct TupleMarker;

/// One impl for each number of members: each has a type, the marker of its kind, and a position.
macro_rules! tuples {
    ($($T:ident $M:ident)*) => {
        #[diagnostic::do_not_recommend]
        #[expect(non_snake_case, reason = "each value is named after its type parameter")]
        impl<$($T, $M),*> IntoScheduleConfigs<(TupleMarker, $($M),*)> for ($($T,)*)
        where
            $($T: IntoScheduleConfigs<$M>),*
        {
            fn into_configs(self) -> ScheduleConfigs {
                let ($($T,)*) = self;
                let mut all = ScheduleConfigs::default();
                $(all.systems.extend($T.into_configs().systems);)*
                all
            }
        }
    };
}

tuples!(A A1);
tuples!(A A1 B B1);
tuples!(A A1 B B1 C C1);
tuples!(A A1 B B1 C C1 D D1);
tuples!(A A1 B B1 C C1 D D1 E E1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1);

/// Systems that run one after the other, in the order in which they were added.
///
/// The commands of a system are applied when it has finished, before the next one runs.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system]
/// fn movement(position: &mut Position, velocity: &Velocity) {
///     position.0 += velocity.0;
/// }
///
/// fn report(positions: Query<&Position>) {
///     assert_eq!(positions.single().unwrap().0, 3.0);
/// }
///
/// let mut world = World::new();
/// world.spawn((Position(1.0), Velocity(2.0)));
/// let mut schedule = Schedule::default();
/// schedule.add_systems((movement, report).chain());
/// schedule.run(&mut world);
/// ```
#[derive(Default)]
pub struct Schedule {
    systems: Vec<ScheduleSystem>,
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.systems.iter().map(|system| system.name())).finish()
    }
}

/// A system of a schedule failed. Those before it have run; those after it have not.
///
/// ```
/// use strata_ecs::prelude::*;
/// fn parse() -> Result {
///     "twelve".parse::<u32>()?;
///     Ok(())
/// }
///
/// let mut schedule = Schedule::new();
/// schedule.add_systems(parse);
/// let error = schedule.try_run(&mut World::new()).unwrap_err();
/// assert!(error.to_string().contains("parse` failed: invalid digit"));
/// ```
#[derive(Debug)]
pub struct ScheduleError {
    system: &'static str,
    error: BoxError,
}

impl ScheduleError {
    /// The name of the system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn broken() -> Result { Err("broken".into()) }
    /// # let mut schedule = Schedule::new();
    /// schedule.add_systems(broken);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err();
    /// assert!(error.system().ends_with("broken"));
    /// ```
    #[must_use]
    pub fn system(&self) -> &'static str {
        self.system
    }

    /// What the system returned, or a [`ParamError`] if it could not run.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use std::num::ParseIntError;
    /// # fn parse() -> Result { "twelve".parse::<u32>()?; Ok(()) }
    /// # let mut schedule = Schedule::new();
    /// schedule.add_systems(parse);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err();
    /// assert!(error.into_inner().is::<ParseIntError>());
    /// ```
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        self.error
    }
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = if self.error.is::<ParamError>() { "could not run" } else { "failed" };
        write!(f, "system `{}` {did}: {}", self.system, self.error)
    }
}

impl core::error::Error for ScheduleError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&*self.error)
    }
}

impl Schedule {
    /// A schedule without systems.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let schedule = Schedule::new();
    /// assert_eq!(schedule.systems_len(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds systems behind those that are there.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// fn spawn(mut commands: Commands) {
    ///     commands.spawn_empty();
    /// }
    ///
    /// let mut world = World::new();
    /// let mut schedule = Schedule::new();
    /// schedule.add_systems((spawn, spawn)).add_systems(spawn);
    /// schedule.run(&mut world);
    /// assert_eq!(world.len(), 3);
    /// ```
    pub fn add_systems<Marker>(&mut self, systems: impl IntoScheduleConfigs<Marker>) -> &mut Self {
        self.systems.extend(systems.into_configs().systems);
        self
    }

    /// How many systems there are.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add_systems((first, second));
    /// assert_eq!(schedule.systems_len(), 2);
    /// ```
    #[must_use]
    pub fn systems_len(&self) -> usize {
        self.systems.len()
    }

    /// The names of the systems, in the order in which they run.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add_systems((first, second));
    /// let names = schedule.system_names();
    /// assert!(names[0].ends_with("first") && names[1].ends_with("second"));
    /// ```
    #[must_use]
    pub fn system_names(&self) -> Vec<String> {
        self.systems.iter().map(|system| system.name().to_string()).collect()
    }

    /// Runs all systems until one fails.
    pub(crate) fn run_on(&mut self, store: &mut Store) -> Result<(), ScheduleError> {
        for system in &mut self.systems {
            let done = {
                let _name = NameOnPanic(system.name());
                let done = system.run_alone((), store);
                system.apply_deferred(store);
                done
            };
            let error = match done {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error,
                Err(error) => error.into(),
            };
            return Err(ScheduleError { system: system.name(), error });
        }
        Ok(())
    }

    /// Prepares all systems for a world.
    pub(crate) fn initialize_on(&mut self, store: &mut Store) {
        for system in &mut self.systems {
            system.initialize(store);
        }
    }
}

/// Says which system it was if it panics.
struct NameOnPanic(&'static str);

impl Drop for NameOnPanic {
    #[inline]
    fn drop(&mut self) {
        #[cfg(feature = "std")]
        if std::thread::panicking() {
            std::eprintln!("system `{}` panicked", self.0);
        }
    }
}
