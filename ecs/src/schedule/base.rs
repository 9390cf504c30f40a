//! The schedule itself.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::ambiguity;
use super::config::{IntoScheduleConfigs, ScheduleShape, ScheduleSystem};
use super::costs::Costs;
use super::diagram;
use super::diagram::ScheduleDiagram;
use super::error::{Ambiguity, OnError, ScheduleBuildError, ScheduleError, SystemError};
use super::executor::Executor;
use super::fused::Panicked;
use super::graph::{AddTo, Graph, SystemOrSet};
use super::ids::{IdMarks, IdSources};
use super::order::Ordering;
#[cfg(feature = "parallel")]
use super::parallel_plan::{Layout, ParallelPlan};
use super::pipelines::{Pipelines, Pipelining};
use super::plan::{Plan, Stage, Task};
use super::removal::ScheduleCleanupPolicy;
use super::report::ScheduleReport;
use super::report_builder::{self, ReportBuilder};
use super::run::Run;
#[cfg(feature = "std")]
use super::run::run_only_stage;
use super::samples::Samples;
use super::set::IntoSystemSet;
use super::settings::{LogLevel, ScheduleBuildSettings};
use super::steps::{ErrorHandlers, Outcome, Outcomes, ScheduleErrorHandler, Shared};
use crate::command::apply_after_frame;
use crate::label::{InternedScheduleLabel, InternedSystemSet, ScheduleLabel};
use crate::store::{Seat, Store, WorldId, begin_run_in_frame, ends_frame_for_commands};
use crate::trace::{self, RunSpan};

/// Systems in an order.
///
/// The order is what `chain`, `before`, `after` and the sets say ([`IntoScheduleConfigs`]). Systems that are in each other's
/// way although nothing is said of their order run in the order in which they were added; see
/// [`ambiguities`](Schedule::ambiguities). All others may run at the same time. The result is always that of running them one
/// after the other, as [`system_names`](Schedule::system_names) lists them; but for ids that several systems reserve at the
/// same time through `&World`, which have no order (those of [`Commands`](crate::command::Commands) are).
///
/// Which ids systems get depends on the world and on the systems alone: not on threads, nor on whether the schedule is rebuilt,
/// replaced by another one with the same label and systems, or run on other worlds in between. Systems that cannot reserve ids
/// may be added and removed. One that takes [`Commands`](crate::command::Commands) counts among those that can, although it
/// never does.
///
/// The commands of a system are applied before a system that is ordered after it runs, and at the end of the run; always in
/// the order of the systems.
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
    label: Option<InternedScheduleLabel>,
    graph: Graph,
    /// The order and the plan for a world. None until the systems have been prepared, after a change of the graph or of settings, and if
    /// preparing fails or panics.
    built: Option<Built>,
    /// The world of what its systems keep; none while they are prepared for another one, or if that has failed.
    systems_of: Option<WorldId>,
    handler: Option<ScheduleErrorHandler>,
    /// In the world that it was prepared for.
    seat: Option<(WorldId, Seat)>,
    /// Whether it runs without ending a frame.
    stays_in_frame: bool,
    settings: ScheduleBuildSettings,
    executor: Executor,
    /// Whether each run is measured.
    profiles: bool,
    pipelining: Pipelining,
    /// For tests: how many rows a block has, if that was set.
    block_rows: Option<usize>,
}

/// What was made of the graph for a world.
struct Built {
    /// The world of the plan. None if the schedule has to be built again before the next run: because a system has put another world in the
    /// place of this one, or because that was asked for.
    world: Option<WorldId>,
    order: Ordering,
    plan: Plan,
    outcomes: Outcomes,
    costs: Costs,
    samples: Samples,
    id_sources: IdSources,
    id_marks: IdMarks,
    reads_messages: bool,
    pipelines: Pipelines,
    #[cfg(feature = "parallel")]
    parallel_plan: ParallelPlan,
    /// How many runs from now on only go through the steps of the only stage: nothing is measured, recorded or run side by side. What
    /// that depends on sets this to zero when it changes.
    plain_runs: u64,
}

impl Built {
    /// For how many runs after one that is known to have been without errors this only goes through the steps of its only stage.
    fn plain_runs_after(&self, profiles: bool) -> u64 {
        let [Stage::Shared { recorders, .. }] = self.plan.stages.as_slice() else { return 0 };
        #[cfg(feature = "parallel")]
        let is_in_units = self.parallel_plan.has_units();
        #[cfg(not(feature = "parallel"))]
        let is_in_units = false;
        // Without the standard library a panic cannot be caught, and ids are placed afterwards.
        let is_plain = cfg!(feature = "std")
            && recorders.is_empty()
            && !(self.reads_messages || profiles || is_in_units)
            && self.world.is_some()
            && self.pipelines.all.iter().all(|pipeline| !pipeline.is_used);
        if is_plain { self.costs.runs_before_measured() } else { 0 }
    }

    /// Notes the errors of a run, and returns that of the first step.
    #[cold]
    fn note_errors(&mut self, errors: Vec<(u32, Box<SystemError>)>) -> Result<(), ScheduleError> {
        // User code writes their texts, which may panic: all else is done.
        self.samples.add_failures(&errors);
        let errors = errors.into_iter().filter(|(_, error)| error.stops);
        match errors.min_by_key(|(step, _)| *step) {
            Some((_, error)) => Err(ScheduleError::System(*error)),
            None => Ok(()),
        }
    }

    /// Notes what the steps took that ran, and the whole run.
    fn note_times(&mut self, total: core::time::Duration) {
        for step in 0..self.plan.steps.len() as u32 {
            if matches!(self.outcomes.get(step), Outcome::Ran | Outcome::Failed) {
                self.samples.add_time(step, self.costs.measured(step));
            }
        }
        self.samples.totals.add(u64::try_from(total.as_nanos()).unwrap_or(u64::MAX));
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
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

    /// Says something of sets: what they run before and after, in which sets they are, and under which conditions their
    /// systems run. What was said before stays.
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

    /// Removes the systems in a set, or those of a function, and returns how many there were.
    pub(crate) fn remove_set<Marker>(
        &mut self,
        set: impl IntoSystemSet<Marker>,
        policy: ScheduleCleanupPolicy,
    ) -> Result<usize, ScheduleError> {
        let removed = self.graph.remove_systems_in_set(set.into_system_set(), policy)?;
        self.built = None;
        Ok(removed)
    }

    /// How many systems there are.
    #[must_use]
    pub fn systems_len(&self) -> usize {
        self.graph.systems.len()
    }

    /// The names of the systems, in the order in which they run; before the first run, or
    /// [`initialize`](Schedule::initialize), in that in which they were added.
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
        let sequence = self.built.as_ref().map(|built| built.order.sequence.as_slice());
        (0..self.graph.systems.len()).map(move |at| {
            let system = sequence.map_or(at, |sequence| sequence[at] as usize);
            self.graph.runnables[system].system.name()
        })
    }

    /// Sets what is done when a system of this schedule fails: see [`OnError`].
    ///
    /// Without it the error goes to the [error handler](crate::error::ErrorHandler) of the world, and the run goes on. If the world has
    /// none either, the run stops there, unless the error has a [severity](crate::error::Severity) below `Error`.
    ///
    /// The handler is called at once, on the thread that the system ran on.
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

    /// Sets the executor that runs the systems: a [`SingleThreadedExecutor`](super::SingleThreadedExecutor), or, as by default, a
    /// [`MultiThreadedExecutor`](super::MultiThreadedExecutor). The result is the same.
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

    /// Sets what is done about systems that are in each other's way and have no order; by default nothing. The schedule is
    /// built anew.
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

    /// Whether a run ends a frame in which the schedule has run before, as it does by default. It makes no difference inside of
    /// [`World::frame`](crate::world::World::frame) and of other runs. Turn it off for a schedule that runs several times where
    /// others run once.
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

    /// Whether each run is measured, and not only one now and then: for [`report`](Schedule::report). Measuring costs some 50 ns
    /// a system. Without the feature `std` nothing is measured.
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

    /// Sets when loops over rows are run block by block: all systems of a pipeline on some rows before they go on to the next
    /// rows, so that these come from memory once. The result is the same, changes that others are told of included.
    ///
    /// A pipeline is made of [`#[system]`](macro@crate::system)s over components that follow each other in a stage, each of which
    /// has a component in common with those before it. They touch no other rows than their own, but for what all of them only
    /// read; they cannot fail, and are all `par` or none of them is. `Local`s, commands and whatever only one of them uses are
    /// allowed; with `par`, nothing is recorded. `#[system(pipeline = off)]` keeps a system out.
    ///
    /// Which pipelines are possible, and why another row system is in none, [`diagram`](Self::diagram) shows. Which ones were
    /// used in the last run, and why others were not, [`report`](Self::report) tells.
    ///
    /// If a system panics, all of its pipeline have gone through some of the rows only, and what they recorded is lost. Systems
    /// that change something behind a shared reference, a `Mutex` in a resource, come to it in turns, block by block.
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

    /// For tests: sets how many rows a block of a pipeline has, rounded up to a multiple of 64, and at most 2^30.
    #[doc(hidden)]
    pub fn set_block_rows(&mut self, rows: usize) -> &mut Self {
        self.block_rows = Some(rows);
        self.built = None;
        self
    }

    /// For tests: the names of the systems of each pipeline that is used, as far as is known.
    #[doc(hidden)]
    #[must_use]
    pub fn used_pipelines(&self) -> Vec<Vec<String>> {
        let Some(built) = &self.built else { return Vec::new() };
        let names = |steps: core::ops::Range<u32>| {
            let tasks = steps.map(|step| built.plan.steps[step as usize].task);
            let systems = tasks.filter_map(|task| match task {
                Task::System(system) => Some(SystemOrSet::System(system)),
                Task::Ask(_) => None,
            });
            systems.map(|system| self.graph.name(system)).collect()
        };
        let used = built.pipelines.all.iter().filter(|pipeline| pipeline.is_used);
        used.map(|pipeline| names(pipeline.steps.clone())).collect()
    }

    /// For tests: the names of the loops over rows that are apart, and why.
    #[doc(hidden)]
    #[must_use]
    pub fn systems_apart(&self) -> Vec<(String, String)> {
        let Some(built) = &self.built else { return Vec::new() };
        let name = |system| self.graph.name(SystemOrSet::System(system));
        let apart = built.pipelines.not_pipelined.iter().zip(0..);
        apart.filter_map(|(apart, system)| Some((name(system), apart.as_ref()?.text(name)))).collect()
    }

    /// Runs all systems, in another frame if the schedule has run in this one.
    pub(crate) fn run_on(&mut self, store: &mut Store) -> Result<(), ScheduleError> {
        let (label, stays_in_frame) = (self.label.map(|label| label.number()), self.stays_in_frame);
        if !stays_in_frame && !store.commands.after_frame.is_empty() {
            let seat = self.seat_in(store.id());
            if ends_frame_for_commands(store, Some((label, Some(seat)))) {
                apply_after_frame(store);
            }
        }
        let seat = self.seat_in(store.id());
        begin_run_in_frame(store, (!stays_in_frame).then_some((label, seat)));
        let (span, _entered) = RunSpan::begin(self.label);
        #[cfg(feature = "std")]
        if let Some(built) = &mut self.built
            && built.plain_runs != 0
            && built.world == Some(store.id())
        {
            // Nothing has the store mutably meanwhile, so it need not be said that the run goes on.
            built.plain_runs -= 1;
            built.costs.pass_over();
            built.samples.pass_over();
            built.outcomes.reset(built.plan.steps.len());
            let shared = Shared {
                plan: &built.plan,
                order: &built.order,
                outcomes: &built.outcomes,
                id_marks: &built.id_marks,
                handlers: ErrorHandlers { of_schedule: self.handler, of_world: store.commands.errors.handler },
                label: self.label,
                span,
            };
            let errors = run_only_stage(shared, &mut self.graph, store);
            if errors.is_empty() {
                // There is nothing to be dropped, and the compiler would look for it.
                core::mem::forget(errors);
                return Ok(());
            }
            built.plain_runs = 0;
            return built.note_errors(errors);
        }
        self.run_with_care(store, span)
    }

    /// A run that is perhaps measured, and of which nothing is known.
    #[inline(never)]
    fn run_with_care(&mut self, store: &mut Store, span: RunSpan) -> Result<(), ScheduleError> {
        let _ongoing = store.frames.enter();
        // Readers of messages and removals begin before the first system runs.
        self.initialize_on(store)?;
        let Some(built) = &mut self.built else { return Ok(()) };
        built.plain_runs = 0;
        if let (true, Some((_, seat))) = (built.reads_messages, &self.seat) {
            store.frames.offer_messages(&mut store.resources, seat);
        }
        built.outcomes.reset(built.plan.steps.len());
        built.id_marks.reset(&built.plan);
        let measures = built.costs.begin(built.plan.steps.len(), self.profiles);
        built.samples.begin(built.plan.steps.len());
        #[cfg(feature = "std")]
        let start = measures.then(std::time::Instant::now);
        if measures {
            built.pipelines.decide(self.pipelining, &self.graph, &built.plan, store);
        }
        #[cfg(feature = "parallel")]
        let layout = Layout { graph: &self.graph, order: &built.order, plan: &built.plan, pipelines: &built.pipelines };
        #[cfg(feature = "parallel")]
        let (units, walls) = built.parallel_plan.prepare(self.executor, layout, store);
        let shared = Shared {
            plan: &built.plan,
            order: &built.order,
            outcomes: &built.outcomes,
            id_marks: &built.id_marks,
            handlers: ErrorHandlers { of_schedule: self.handler, of_world: store.commands.errors.handler },
            label: self.label,
            span,
        };
        let mut run = Run {
            shared,
            prepared_for: &mut built.world,
            systems_of: &mut self.systems_of,
            graph: &mut self.graph,
            errors: Vec::new(),
            id_sources: &mut built.id_sources,
            costs: &built.costs,
            samples: &mut built.samples,
            measures,
            pipelines: &built.pipelines,
            in_pipeline: Panicked::none(),
            #[cfg(feature = "parallel")]
            units,
            #[cfg(feature = "parallel")]
            walls,
            #[cfg(feature = "std")]
            panicked: None,
        };
        run.run(store);
        // Nothing is moved of a run without errors.
        let errors = if run.errors.is_empty() { None } else { Some(run.errors) };
        // Without the standard library there is no clock, and nothing is measured.
        #[cfg(feature = "std")]
        let total = start.map(|start| start.elapsed());
        #[cfg(not(feature = "std"))]
        let total = None;
        if let Some(total) = total {
            built.note_times(total);
        }
        // What was measured in a world that came meanwhile tells nothing of the plan.
        if measures && built.costs.end() && built.world.is_some() {
            #[cfg(feature = "parallel")]
            let Built { order, plan, pipelines, parallel_plan, costs, .. } = built;
            #[cfg(feature = "parallel")]
            let layout = Layout { graph: &self.graph, order, plan, pipelines };
            #[cfg(feature = "parallel")]
            parallel_plan.decide(self.executor, layout, store, costs.expected());
        }
        let Some(errors) = errors else {
            built.plain_runs = built.plain_runs_after(self.profiles);
            return Ok(());
        };
        built.note_errors(errors)
    }

    /// To be called when something changes that is looked at in runs that may be measured only.
    fn end_plain_runs(&mut self) {
        if let Some(built) = &mut self.built {
            built.plain_runs = 0;
        }
    }

    /// What stands for the schedule in a world, from now on.
    fn seat_in(&mut self, world: WorldId) -> &Seat {
        if self.seat.as_ref().is_some_and(|(of, _)| *of != world) {
            self.seat = None;
        }
        &self.seat.get_or_insert_with(|| (world, Seat::default())).1
    }

    /// What stands for the schedule in a world, from now on.
    pub(crate) fn seat_in_world(&mut self, world: WorldId) -> Seat {
        Seat::clone(self.seat_in(world))
    }

    /// What stands for the schedule in the world that it was last prepared for.
    pub(super) fn seat(&self) -> Option<&Seat> {
        self.seat.as_ref().map(|(_, seat)| seat)
    }

    /// Its systems and conditions.
    pub(super) fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    /// Whether its systems have been prepared for a world.
    pub(crate) fn is_prepared_for(&self, world: WorldId) -> bool {
        self.built.as_ref().is_some_and(|built| built.world == Some(world))
    }

    /// Whether what its systems keep, those that have been prepared, is of this world.
    pub(super) fn keeps_of(&self, world: WorldId) -> bool {
        self.systems_of == Some(world)
    }

    /// Has the systems prepared before the next run that are not.
    pub(super) fn prepare_again(&mut self) {
        if let Some(built) = &mut self.built {
            built.world = None;
        }
    }

    /// Prepares all systems for a world, and orders them, unless that has been done.
    pub(crate) fn initialize_on(&mut self, store: &mut Store) -> Result<(), ScheduleBuildError> {
        let world = store.id();
        if !self.is_prepared_for(world) {
            // First of all: preparing systems is user code in part, which may panic.
            self.built = None;
            self.systems_of = self.systems_of.filter(|of| *of == world);
            self.graph.initialize(store)?;
            self.systems_of = Some(world);
            assert!(world == store.id(), "a system has replaced the world when it was prepared for it");
            let order = Ordering::of(&self.graph)?;
            self.check_ambiguities(&order, store)?;
            let plan = Plan::of(&self.graph, &order);
            let id_sources = IdSources::of(self.label, &self.graph, &plan, store);
            let messages = self.graph.message_readers();
            let reads_messages = !messages.is_empty();
            store.frames.hold_messages(&mut store.resources, self.seat_in(world), &messages);
            let mut pipelines = Pipelines::of(&self.graph, &plan, &store.structure.archetypes.components);
            pipelines.decide(self.pipelining, &self.graph, &plan, store);
            if let Some(rows) = self.block_rows {
                pipelines.set_block_rows(rows);
            }
            self.built = Some(Built {
                world: Some(world),
                order,
                plan,
                outcomes: Outcomes::default(),
                costs: Costs::default(),
                samples: Samples::default(),
                id_sources,
                id_marks: IdMarks::default(),
                reads_messages,
                pipelines,
                #[cfg(feature = "parallel")]
                parallel_plan: ParallelPlan::default(),
                plain_runs: 0,
            });
        }
        Ok(())
    }

    /// What it looks like when it runs on this world.
    pub(crate) fn diagram_on(&mut self, store: &mut Store) -> Result<ScheduleDiagram, ScheduleBuildError> {
        self.initialize_on(store)?;
        Ok(match &self.built {
            Some(built) => {
                let Built { order, plan, pipelines, .. } = built;
                diagram::build(self.label, &self.graph, order, plan, pipelines, &store.structure.archetypes.components)
            }
            None => unreachable!("it has been initialised"),
        })
    }

    /// What became of the last run, and of its systems in this world.
    pub(crate) fn report_on(&self, store: &Store) -> ScheduleReport {
        let title = diagram::title(self.label);
        let Some(built) = &self.built else { return report_builder::blank(title, &self.graph) };
        let builder = ReportBuilder {
            graph: &self.graph,
            order: &built.order,
            plan: &built.plan,
            outcomes: &built.outcomes,
            samples: &built.samples,
            pipelines: &built.pipelines,
            #[cfg(feature = "parallel")]
            parallel_plan: &built.parallel_plan,
            store,
        };
        builder.report(title)
    }

    fn check_ambiguities(&self, order: &Ordering, store: &Store) -> Result<(), ScheduleBuildError> {
        if self.settings.ambiguity_detection == LogLevel::Ignore {
            return Ok(());
        }
        let found = ambiguity::find(&self.graph, order, &store.structure.archetypes.components);
        if found.is_empty() {
            return Ok(());
        }
        let error = ScheduleBuildError::Ambiguous(found);
        if self.settings.ambiguity_detection == LogLevel::Error {
            return Err(error);
        }
        trace::warn(&error);
        Ok(())
    }

    /// The systems that are in each other's way and have no order; none if it has not been initialised for this world.
    pub(crate) fn ambiguities_on(&self, store: &Store) -> Vec<Ambiguity> {
        match &self.built {
            Some(built) if built.world == Some(store.id()) => {
                ambiguity::find(&self.graph, &built.order, &store.structure.archetypes.components)
            }
            _ => Vec::new(),
        }
    }
}
