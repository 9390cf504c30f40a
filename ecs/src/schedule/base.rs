//! The schedule itself: its fields, and the methods that change it.
//!
//! Tests: tests/schedules/schedule

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ambiguity;
use super::built::BuiltSchedule;
use super::config::{IntoScheduleConfigs, ScheduleShape, ScheduleSystem};
use super::diagram::{self, ScheduleDiagram};
use super::error::{Ambiguity, OnError, ScheduleBuildError, ScheduleError, SystemError};
use super::executor::Executor;
use super::graph::{AddTo, ScheduleGraph, SystemOrSet};
use super::pipelines::Pipelining;
use super::plan::Task;
use super::removal::ScheduleCleanupPolicy;
use super::report::ScheduleReport;
use super::report_builder::{self, ReportBuilder};
use super::set::IntoSystemSet;
use super::settings::ScheduleBuildSettings;
use super::steps::ScheduleErrorHandler;
use crate::schedule::label::{InternedScheduleLabel, InternedSystemSet, ScheduleLabel};
use crate::structure::store::{ScheduleSlot, Store, WorldId};

/// An ordered collection of systems that are run together.
///
/// `chain`, `before`, `after` and the sets define the order ([`IntoScheduleConfigs`]). Conflicting systems without a
/// constraint between them run in the order in which they were added; see [`ambiguities`](Schedule::ambiguities). All
/// other systems may run in parallel. The result is always the same as if the systems ran one after the other, in the
/// order of [`system_names`](Schedule::system_names). There is one exception: if several systems reserve ids at the
/// same time through `&World`, the order of these ids is not defined. The order of ids that
/// [`Commands`](crate::command::Commands) reserve is defined.
///
/// The ids that systems get depend only on the world and on the systems. They do not depend on the threads or on runs
/// on other worlds in between. They also stay the same if the schedule is rebuilt, or replaced by a schedule with the
/// same label and systems. Adding or removing systems that cannot reserve ids does not change them either. A system
/// that takes [`Commands`](crate::command::Commands) counts as a system that can reserve ids, even if it never does.
///
/// The commands of a system are applied before a system that is ordered after it runs, and at the end of the run. They
/// are always applied in the order of the systems.
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
#[doc(alias("Stage", "Workload", "Dispatcher", "ComponentSystemGroup", "Pipeline", "builder"))]
#[derive(Default)]
pub struct Schedule {
    pub(super) label: Option<InternedScheduleLabel>,
    pub(super) graph: ScheduleGraph,
    /// The order and the plan for a world. `None` until the systems have been prepared, after the graph or the settings
    /// have changed, and after preparing has failed or panicked.
    pub(super) built: Option<BuiltSchedule>,
    /// The world that the state of the systems belongs to. `None` while the systems are being prepared for another
    /// world, and after preparing has failed.
    pub(super) systems_of: Option<WorldId>,
    pub(super) handler: Option<ScheduleErrorHandler>,
    /// The world that the schedule was prepared for, and the slot that identifies the schedule in that world.
    pub(super) seat: Option<(WorldId, ScheduleSlot)>,
    /// Whether a run of the schedule never ends a frame.
    pub(super) stays_in_frame: bool,
    pub(super) settings: ScheduleBuildSettings,
    pub(super) executor: Executor,
    /// Whether every run is measured.
    pub(super) profiles: bool,
    pub(super) pipelining: Pipelining,
    /// For tests: the number of rows of a block, if a test has set it.
    pub(super) block_rows: Option<usize>,
}

impl_debug!([] Schedule => |this, f| f.debug_list().entries(this.names()).finish());

impl Schedule {
    /// Creates a schedule without systems, with a label.
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

    /// Returns the label. A schedule that was made with [`Schedule::default`] has no label.
    #[must_use]
    pub fn label(&self) -> Option<InternedScheduleLabel> {
        self.label
    }

    /// Adds systems.
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
    #[doc(alias("add_system", "with_system", "register"))]
    #[track_caller]
    pub fn add_systems<Marker, S: ScheduleShape<Marker>>(&mut self, systems: S) -> &mut Self
    where
        S::Whole: IntoScheduleConfigs<ScheduleSystem, Marker>,
    {
        let () = S::Whole::CHECKED;
        self.add(systems.whole())
    }

    /// Configures sets: their order relative to systems and other sets, the sets that contain them, and the conditions
    /// under which their systems run. Earlier configuration is kept.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    /// enum Tick {
    ///     Read,
    ///     Move,
    ///     Draw,
    /// }
    /// # fn input() {}
    /// # fn gravity() {}
    /// # fn shapes() {}
    /// let mut schedule = Schedule::default();
    /// schedule.configure_sets((Tick::Read, Tick::Move, Tick::Draw).chain());
    /// schedule.add_systems((shapes.in_set(Tick::Draw), gravity.in_set(Tick::Move), input.in_set(Tick::Read)));
    /// schedule.initialize(&mut World::new()).unwrap();
    /// let names = schedule.system_names();
    /// assert!(names[0].ends_with("input") && names[1].ends_with("gravity") && names[2].ends_with("shapes"));
    /// ```
    #[doc(alias("phase", "UpdateInGroup", "UpdateBefore", "UpdateAfter"))]
    pub fn configure_sets<Marker, S: ScheduleShape<Marker>>(&mut self, sets: S) -> &mut Self
    where
        S::Whole: IntoScheduleConfigs<InternedSystemSet, Marker>,
    {
        self.add(sets.whole())
    }

    #[track_caller]
    fn add<T: AddTo, Marker>(&mut self, configs: impl IntoScheduleConfigs<T, Marker>) -> &mut Self {
        self.graph.add(configs.into_configs().config);
        self.built = None;
        self
    }

    /// Removes the systems in a set, or the systems of a function, and returns the number of removed systems.
    pub(crate) fn remove_set<Marker>(
        &mut self,
        set: impl IntoSystemSet<Marker>,
        policy: ScheduleCleanupPolicy,
    ) -> Result<usize, ScheduleError> {
        let removed = self.graph.remove_systems_in_set(set.into_system_set(), policy)?;
        self.built = None;
        Ok(removed)
    }

    /// Returns the number of systems.
    #[must_use]
    pub fn systems_len(&self) -> usize {
        self.graph.systems.len()
    }

    /// Returns the names of the systems, in the order in which they run. Before the first run or
    /// [`initialize`](Schedule::initialize), they are in the order in which they were added.
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
        self.names().map(ToString::to_string).collect()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let sequence = self.built.as_ref().map(|built| built.steps.order.sequence.as_slice());
        (0..self.graph.systems.len()).map(move |at| {
            let system = sequence.map_or(at, |sequence| sequence[at] as usize);
            self.graph.runnables[system].system.name()
        })
    }

    /// Sets the function that is called when a system of this schedule fails: see [`OnError`].
    ///
    /// If the schedule has no handler, an error is passed to the [error handler](crate::error::ErrorHandler) of the
    /// world, and the run continues. If the world has no handler either, the result is [`OnError::Stop`], unless the
    /// error has a [severity](crate::error::Severity) below `Error`.
    ///
    /// The handler is called immediately, on the thread that ran the system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::OnError;
    /// # #[derive(Resource)] struct Missing;
    /// # fn broken(_: Res<Missing>) {}
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(broken);
    /// schedule.set_error_handler(|error| {
    ///     eprintln!("{error}");
    ///     OnError::Continue
    /// });
    /// schedule.run(&mut World::new());
    /// ```
    pub fn set_error_handler(&mut self, handler: fn(&SystemError) -> OnError) -> &mut Self {
        self.handler = Some(handler);
        self
    }

    /// Sets the executor that runs the systems: a [`SingleThreadedExecutor`](super::SingleThreadedExecutor) or a
    /// [`MultiThreadedExecutor`](super::MultiThreadedExecutor), the default. The result of a run is the same with both.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::SingleThreadedExecutor;
    /// # fn first() {}
    /// let mut schedule = Schedule::default();
    /// schedule.set_executor(SingleThreadedExecutor::new()).add_systems(first);
    /// schedule.run(&mut World::new());
    /// ```
    #[doc(alias("set_threads", "executor_kind"))]
    pub fn set_executor(&mut self, executor: impl Into<Executor>) -> &mut Self {
        self.executor = executor.into();
        self.end_plain_runs();
        self
    }

    /// Sets how conflicting systems without an order are handled. By default they are accepted. The schedule is rebuilt.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::{LogLevel, ScheduleBuildSettings};
    /// # #[derive(Resource, Default)] struct Sum(u32);
    /// # fn double(mut sum: ResMut<Sum>) { sum.0 *= 2; }
    /// # fn add_one(mut sum: ResMut<Sum>) { sum.0 += 1; }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((double, add_one));
    /// schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error });
    /// let error = schedule.initialize(&mut World::new()).unwrap_err().to_string();
    /// assert!(error.contains("double") && error.contains("add_one") && error.contains("Sum"));
    /// ```
    pub fn set_build_settings(&mut self, settings: ScheduleBuildSettings) -> &mut Self {
        self.settings = settings;
        self.built = None;
        self
    }

    /// Sets whether a run ends the current frame if the schedule has already run in this frame. By default it does.
    /// Turn it off for a schedule that runs several times per frame. The setting has no effect inside
    /// [`World::frame`](crate::world::World::frame) or inside other runs.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let mut physics = Schedule::default();
    /// physics.set_ends_frames(false);
    /// (0..10).for_each(|_| physics.run(&mut world));
    /// assert_eq!(world.frame_number(), 0);
    /// ```
    pub fn set_ends_frames(&mut self, ends_frames: bool) -> &mut Self {
        self.stays_in_frame = !ends_frames;
        self
    }

    /// Sets whether every run is measured for [`report`](Schedule::report). By default only some runs are. Measuring
    /// costs about 50 ns per system. Without the feature `std` nothing is measured.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn first() {}
    /// let mut world = World::new();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(first).set_profiling(true);
    /// (0..20).for_each(|_| schedule.run(&mut world));
    /// println!("{}", schedule.report(&world));
    /// ```
    pub fn set_profiling(&mut self, profiling: bool) -> &mut Self {
        self.profiles = profiling;
        self.end_plain_runs();
        self
    }

    /// Sets when row systems are run block by block: all systems of a pipeline process some rows, then all of them
    /// process the next rows. So each row is loaded from memory once. The result, including change detection, is the
    /// same.
    ///
    /// A pipeline consists of consecutive [`#[system]`](macro@crate::system)s over components in one stage:
    ///
    /// - Each of them has a component in common with an earlier one.
    /// - They access no rows except their own. Reading other rows is allowed if no system of the pipeline writes them.
    /// - They cannot fail.
    /// - Either all or none of them are `par`. A `par` system must not record anything.
    /// - They may use `Local`s, commands, and data that no other system of the pipeline uses.
    ///
    /// `#[system(pipeline = off)]` keeps a system out.
    ///
    /// [`diagram`](Self::diagram) shows which pipelines are possible, and why a row system is in no pipeline.
    /// [`report`](Self::report) shows which pipelines were used in the last run, and why others were not.
    ///
    /// If a system panics, all systems of its pipeline have processed only some of the rows, and everything they
    /// recorded is lost. If systems modify data through a shared reference, such as a `Mutex` in a resource, they
    /// access it in turns, block by block.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::schedule::Pipelining;
    /// # #[derive(Component)] struct Speed(f32);
    /// # #[derive(Component)] struct Height(f32);
    ///
    /// #[system]
    /// fn gravity(speed: &mut Speed) {
    ///     speed.0 -= 1.0;
    /// }
    ///
    /// #[system]
    /// fn fall(height: &mut Height, speed: &Speed) {
    ///     height.0 += speed.0;
    /// }
    ///
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems((gravity, fall).chain()).set_pipelining(Pipelining::Always);
    /// # let mut world = World::new();
    /// # let ball = world.spawn((Speed(0.0), Height(10.0))).id();
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.get::<Height>(ball).unwrap().0, 9.0);
    /// println!("{}", schedule.report(&world)); // pipeline 1, systems 1 to 2: in blocks of 32,768 rows, on one thread
    /// # assert!(schedule.report(&world).to_string().contains("pipeline 1, systems 1 to 2: in blocks of "));
    /// ```
    pub fn set_pipelining(&mut self, pipelining: Pipelining) -> &mut Self {
        self.pipelining = pipelining;
        self.built = None;
        self
    }

    /// For tests: sets the number of rows of a block of a pipeline, rounded up to a multiple of 64, and at most 2^30.
    #[doc(hidden)]
    pub fn set_block_rows(&mut self, rows: usize) -> &mut Self {
        self.block_rows = Some(rows);
        self.built = None;
        self
    }

    /// For tests: returns the names of the systems of each pipeline that is used. Empty if the schedule has not been
    /// built.
    #[doc(hidden)]
    #[must_use]
    pub fn used_pipelines(&self) -> Vec<Vec<String>> {
        let Some(built) = &self.built else { return Vec::new() };
        let names = |steps: core::ops::Range<u32>| {
            let tasks = steps.map(|step| built.steps.plan.steps[step as usize].task);
            let systems = tasks.filter_map(|task| match task {
                Task::System(system) => Some(SystemOrSet::System(system)),
                Task::Ask(_) => None,
            });
            systems.map(|system| self.graph.name(system)).collect()
        };
        let used = built.pipelines.all.iter().filter(|pipeline| pipeline.is_used);
        used.map(|pipeline| names(pipeline.steps.clone())).collect()
    }

    /// For tests: returns the names of the row systems that are in no pipeline, and the reasons.
    #[doc(hidden)]
    #[must_use]
    pub fn systems_apart(&self) -> Vec<(String, String)> {
        let Some(built) = &self.built else { return Vec::new() };
        let name = |system| self.graph.name(SystemOrSet::System(system));
        let apart = built.pipelines.not_pipelined.iter().zip(0..);
        apart.filter_map(|(apart, system)| Some((name(system), apart.as_ref()?.text(name)))).collect()
    }

    /// Ends the fast path, whose runs ignore some settings. Must be called when one of these settings changes.
    fn end_plain_runs(&mut self) {
        if let Some(built) = &mut self.built {
            built.plain_runs = 0;
        }
    }

    /// Returns the slot that identifies the schedule in a world. Creates it if necessary.
    pub(crate) fn seat_in(&mut self, world: WorldId) -> &ScheduleSlot {
        if self.seat.as_ref().is_some_and(|(of, _)| *of != world) {
            self.seat = None;
        }
        &self.seat.get_or_insert_with(|| (world, ScheduleSlot::default())).1
    }

    /// Returns whether the systems have been prepared for a world.
    pub(crate) fn is_prepared_for(&self, world: WorldId) -> bool {
        self.built.as_ref().is_some_and(|built| built.world == Some(world))
    }

    /// Makes the next run prepare the systems that are not prepared.
    pub(super) fn prepare_again(&mut self) {
        if let Some(built) = &mut self.built {
            built.world = None;
        }
    }

    /// Builds the diagram of the schedule for this world.
    pub(crate) fn diagram_on(&mut self, store: &mut Store) -> Result<ScheduleDiagram, ScheduleBuildError> {
        self.initialize_on(store)?;
        let Some(built) = &self.built else { unreachable!("it has been initialised") };
        let layout = built.steps.layout(&self.graph, &built.pipelines);
        Ok(diagram::build(self.label, layout, &store.structure.archetypes.components))
    }

    /// Builds the report of the last run in this world.
    pub(crate) fn report_on(&self, store: &Store) -> ScheduleReport {
        let title = diagram::title(self.label);
        let Some(built) = &self.built else { return report_builder::blank(title, &self.graph) };
        let builder = ReportBuilder {
            graph: &self.graph,
            order: &built.steps.order,
            plan: &built.steps.plan,
            outcomes: &built.steps.outcomes,
            samples: &built.samples,
            pipelines: &built.pipelines,
            #[cfg(feature = "parallel")]
            parallel_plan: &built.parallel_plan,
            store,
        };
        builder.report(title)
    }

    /// Returns the conflicting systems without an order. Empty if the schedule has not been initialized for this world.
    pub(crate) fn ambiguities_on(&self, store: &Store) -> Vec<Ambiguity> {
        match &self.built {
            Some(built) if built.world == Some(store.id()) => {
                ambiguity::find(&self.graph, &built.steps.order, &store.structure.archetypes.components)
            }
            _ => Vec::new(),
        }
    }
}
