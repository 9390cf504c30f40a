//! Schedules: systems that run one after the other.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::access::Access;
use crate::cell::Cell;
use crate::label::{InternedScheduleLabel, ScheduleLabel};
use crate::store::{Store, WorldId};
use crate::system::{BoxError, BoxedSystem, IntoSystem, ParamError, System, SystemCondition, SystemOutput, holds};

/// What all systems of a schedule are turned into.
type ScheduleSystem = BoxedSystem<(), Result<(), BoxError>>;

/// A system that may return anything that counts as success or failure.
struct Fallible<Out>(BoxedSystem<(), Out>);

impl<Out: SystemOutput> System for Fallible<Out> {
    type In = ();
    type Out = Result<(), BoxError>;

    fn name(&self) -> &str {
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

/// What a schedule runs: a system, or several that run only if conditions hold.
enum Step {
    System(ScheduleSystem),
    Group(Group),
}

/// Steps that run only if all conditions hold.
struct Group {
    conditions: Vec<Condition>,
    steps: Vec<Step>,
}

/// A system that decides whether others run.
struct Condition {
    system: BoxedSystem<(), bool>,
    /// The world for which it is known that it only reads.
    checked: Option<WorldId>,
}

impl Condition {
    /// Prepares it for a world.
    ///
    /// # Panics
    ///
    /// If it writes.
    fn initialize(&mut self, store: &mut Store) {
        if self.checked != Some(store.id()) {
            self.system.initialize(store);
            assert!(
                self.system.access().is_read_only(),
                "condition `{}` can change the world: a condition may only read",
                self.system.name()
            );
            self.checked = Some(store.id());
        }
    }
}

impl Group {
    /// Whether all conditions hold. All are asked, whatever the others say, so that each sees every run.
    fn holds(&mut self, store: &mut Store) -> Result<bool, ScheduleError> {
        let mut all = true;
        for condition in &mut self.conditions {
            condition.initialize(store);
            match holds(Running(&mut condition.system).run(store)) {
                Ok(holds) => all &= holds,
                Err(error) => return Err(ScheduleError::new(&*condition.system, error.into())),
            }
        }
        Ok(all)
    }
}

/// Runs steps until one fails.
fn run_steps(steps: &mut [Step], store: &mut Store) -> Result<(), ScheduleError> {
    for step in steps {
        match step {
            Step::System(system) => {
                let error = match Running(system).run(store) {
                    Ok(Ok(())) => continue,
                    Ok(Err(error)) => error,
                    Err(error) if error.is_skip() => continue,
                    Err(error) => error.into(),
                };
                return Err(ScheduleError::new(&**system, error));
            }
            Step::Group(group) => {
                if group.holds(store)? {
                    run_steps(&mut group.steps, store)?;
                }
            }
        }
    }
    Ok(())
}

fn initialize_steps(steps: &mut [Step], store: &mut Store) {
    for step in steps {
        match step {
            Step::System(system) => system.initialize(store),
            Step::Group(group) => {
                group.conditions.iter_mut().for_each(|condition| condition.initialize(store));
                initialize_steps(&mut group.steps, store);
            }
        }
    }
}

/// The names of all systems, in their order.
fn names(steps: &[Step]) -> Vec<&str> {
    let mut all = Vec::new();
    for step in steps {
        match step {
            Step::System(system) => all.push(system.name()),
            Step::Group(group) => all.extend(names(&group.steps)),
        }
    }
    all
}

/// Systems on their way into a schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn first() {}
/// # fn second() {}
/// let both = (first, second).into_configs();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(both);
/// assert_eq!(schedule.systems_len(), 2);
/// ```
#[derive(Default)]
pub struct ScheduleConfigs {
    steps: Vec<Step>,
}

impl fmt::Debug for ScheduleConfigs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(names(&self.steps)).finish()
    }
}

/// What can be added to a schedule: systems that return `()` or `Result`, and tuples of up to 15 of these, nested.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn first() {}
/// # fn second() {}
/// # fn fallible() -> Result { Ok(()) }
/// let mut schedule = Schedule::default();
/// schedule.add_systems(first).add_systems((second, (first, fallible)));
/// assert_eq!(schedule.systems_len(), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to a schedule: it, or a member of it, is no system",
    label = "not a system, nor a tuple of systems",
    note = "write `#[system]` above a function over components (`&T`, `&mut T`); above any other one, it shows which parameter \
            is wrong",
    note = "a system is a function whose parameters are all system parameters, or that has `&mut World` as its only one, and that \
            returns `()` or `Result`",
    note = "a system with an input, `In<T>`, is added behind one that returns it: `first.pipe(second)`"
)]
pub trait IntoScheduleConfigs<Marker>: Sized {
    /// As [`IntoSystem`] has it, of all systems.
    #[doc(hidden)]
    const CHECKED: () = ();

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
    /// let mut schedule = Schedule::default();
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
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((first, second).chain());
    /// assert!(schedule.system_names()[1].ends_with("second"));
    /// ```
    fn chain(self) -> ScheduleConfigs {
        self.into_configs()
    }

    /// The systems, which run only if a condition holds. It is asked once, before the first of them would run.
    ///
    /// With several conditions, as in `system.run_if(a).run_if(b)`, all must hold. All are asked each time, in this order,
    /// so that a condition that counts its runs counts all; `a.and(b)` asks `b` only if `a` holds.
    ///
    /// A condition whose parameters cannot be fetched is an error, as with any system.
    ///
    /// # Panics
    ///
    /// When it is first run, if it is known only then that the condition writes: see [`SystemCondition`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Paused(bool);
    /// # #[derive(Resource, Default)] struct Time(u32);
    ///
    /// fn running(paused: Res<Paused>) -> bool {
    ///     !paused.0
    /// }
    ///
    /// fn step(mut time: ResMut<Time>) {
    ///     time.0 += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Paused>();
    /// world.init_resource::<Time>();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((step, step).run_if(running));
    /// schedule.run(&mut world);
    /// world.resource_mut::<Paused>().0 = true;
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Time>().0, 2);
    /// ```
    fn run_if<Condition>(self, condition: impl SystemCondition<Condition>) -> ScheduleConfigs {
        self.into_configs().only_if(condition.into_condition())
    }
}

impl ScheduleConfigs {
    fn only_if(mut self, system: BoxedSystem<(), bool>) -> Self {
        let condition = Condition { system, checked: None };
        match &mut self.steps[..] {
            [Step::Group(group)] => group.conditions.push(condition),
            _ => {
                let group = Group { conditions: alloc::vec![condition], steps: self.steps };
                self.steps = alloc::vec![Step::Group(group)];
            }
        }
        self
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
    const CHECKED: () = S::CHECKED;

    fn into_configs(self) -> ScheduleConfigs {
        let system: ScheduleSystem = Box::new(Fallible(S::into_system(self)));
        ScheduleConfigs { steps: alloc::vec![Step::System(system)] }
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
            const CHECKED: () = {
                $(let () = $T::CHECKED;)*
            };

            fn into_configs(self) -> ScheduleConfigs {
                let ($($T,)*) = self;
                let mut all = ScheduleConfigs::default();
                $(all.steps.extend($T.into_configs().steps);)*
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
    /// The world for which all systems have been initialised.
    prepared: Option<WorldId>,
    label: Option<InternedScheduleLabel>,
    steps: Vec<Step>,
    /// Whether messages are left as they are when it runs.
    keeps_messages: bool,
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(names(&self.steps)).finish()
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
/// let mut schedule = Schedule::default();
/// schedule.add_systems(parse);
/// let error = schedule.try_run(&mut World::new()).unwrap_err();
/// assert!(error.to_string().contains("parse` failed: invalid digit"));
/// ```
#[derive(Debug)]
pub struct ScheduleError {
    system: String,
    error: BoxError,
}

impl ScheduleError {
    fn new<Out: 'static>(system: &dyn System<In = (), Out = Out>, error: BoxError) -> Self {
        Self { system: system.name().to_string(), error }
    }

    /// The name of the system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn broken() -> Result { Err("broken".into()) }
    /// # let mut schedule = Schedule::default();
    /// schedule.add_systems(broken);
    /// let error = schedule.try_run(&mut World::new()).unwrap_err();
    /// assert!(error.system().ends_with("broken"));
    /// ```
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// What the system returned, or a [`ParamError`] if it could not run.
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
    /// A schedule without systems, with a name.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Update;
    ///
    /// let schedule = Schedule::new(Update);
    /// assert_eq!(schedule.label(), Some(Update.intern()));
    /// assert_eq!(schedule.systems_len(), 0);
    /// ```
    #[must_use]
    pub fn new(label: impl ScheduleLabel) -> Self {
        Self { label: Some(label.intern()), ..Self::default() }
    }

    /// The name, which a schedule that was made with [`Schedule::default`] does not have.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// assert_eq!(Schedule::default().label(), None);
    /// ```
    #[must_use]
    pub fn label(&self) -> Option<InternedScheduleLabel> {
        self.label
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
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((spawn, spawn)).add_systems(spawn);
    /// schedule.run(&mut world);
    /// assert_eq!(world.len(), 3);
    /// ```
    pub fn add_systems<Marker, S: IntoScheduleConfigs<Marker>>(&mut self, systems: S) -> &mut Self {
        let () = S::CHECKED;
        self.steps.extend(systems.into_configs().steps);
        self.prepared = None;
        self
    }

    /// How many systems there are.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((first, second));
    /// assert_eq!(schedule.systems_len(), 2);
    /// ```
    #[must_use]
    pub fn systems_len(&self) -> usize {
        names(&self.steps).len()
    }

    /// The names of the systems, in the order in which they run.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((first, second));
    /// let names = schedule.system_names();
    /// assert!(names[0].ends_with("first") && names[1].ends_with("second"));
    /// ```
    #[must_use]
    pub fn system_names(&self) -> Vec<String> {
        names(&self.steps).into_iter().map(ToString::to_string).collect()
    }

    /// Whether a run begins with an update of all messages of the world, as it does by default. Turn it off for a schedule
    /// that runs within a run of another, or several times where the readers of its messages run once.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Message)] struct Hit;
    /// let mut world = World::new();
    /// world.write_message(Hit);
    /// let mut physics = Schedule::default();
    /// physics.set_message_updates(false);
    /// (0..10).for_each(|_| physics.run(&mut world));
    /// assert_eq!(world.resource::<Messages<Hit>>().len(), 1);
    /// ```
    pub fn set_message_updates(&mut self, updates: bool) -> &mut Self {
        self.keeps_messages = !updates;
        self
    }

    /// Updates the messages and runs all systems until one fails.
    pub(crate) fn run_on(&mut self, store: &mut Store) -> Result<(), ScheduleError> {
        if !self.keeps_messages {
            store.resources.update();
        }
        if self.prepared != Some(store.id()) {
            // Who reads messages or removals begins before the first system runs.
            self.initialize_on(store);
        }
        let done = run_steps(&mut self.steps, store);
        store.tidy_removals();
        done
    }

    /// Prepares all systems for a world.
    pub(crate) fn initialize_on(&mut self, store: &mut Store) {
        initialize_steps(&mut self.steps, store);
        self.prepared = Some(store.id());
    }
}

/// A system that is running. Says which one it was if it panics.
struct Running<'a, Out: 'static>(&'a mut BoxedSystem<(), Out>);

impl<Out: 'static> Running<'_, Out> {
    /// Runs it and applies what it recorded.
    #[inline]
    fn run(self, store: &mut Store) -> Result<Out, ParamError> {
        let done = self.0.run_alone((), store);
        self.0.apply_deferred(store);
        done
    }
}

impl<Out: 'static> Drop for Running<'_, Out> {
    #[inline]
    fn drop(&mut self) {
        #[cfg(feature = "std")]
        if std::thread::panicking() {
            std::eprintln!("system `{}` panicked", self.0.name());
        }
    }
}
