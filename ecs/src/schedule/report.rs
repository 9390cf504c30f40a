//! The outcomes of a run of a schedule, and the costs of its systems.
//!
//! Tests: tests/schedules/schedule_views/reports.rs

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::time::Duration;

/// The outcome of each system in the last run of a schedule, and the costs in the last measured runs.
/// [`Display`](core::fmt::Display) formats it as a table.
///
/// Only some runs are measured: the second, the third, the fifth, and so on, and in the long term every 64th.
/// [`Schedule::set_profiling`](super::Schedule::set_profiling) turns on the measurement of every run. For each system,
/// the report contains the times of the last 32 measured runs in which the system ran. Commands are counted for the
/// last run and for all runs. All other data is from the last run, measured or not. A run that ends with a panic counts
/// as a run, but is not measured. Nothing is measured without the feature `std`.
///
/// [`Schedule::report`](super::Schedule::report) makes it.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::SystemOutcome;
/// # #[derive(Component)] struct Health(u32);
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn(Health(3));
/// }
///
/// fn heal(mut all: Query<&mut Health>) {
///     all.iter_mut().for_each(|mut health| health.0 += 1);
/// }
///
/// let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((spawn, heal.run_if(|| false)).chain());
/// schedule.run(&mut world);
///
/// let report = schedule.report(&world);
/// println!("{report}");
/// let [spawn, heal] = report.systems() else { unreachable!("there are two systems") };
/// assert_eq!((spawn.outcome(), spawn.commands()), (&SystemOutcome::Ran, 1));
/// assert!(matches!(heal.outcome(), SystemOutcome::ConditionUnmet { .. }));
/// assert_eq!(heal.rows(), Some(1)); // It would have had one entity to heal.
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleReport {
    pub(super) title: String,
    pub(super) runs: u64,
    pub(super) total: Option<Timing>,
    pub(super) stages: Vec<StageReport>,
    pub(super) pipelines: Vec<PipelineReport>,
    pub(super) systems: Vec<SystemReport>,
}

impl ScheduleReport {
    getters! {
        /// Returns the number of runs since the schedule was initialized for its world. The report describes the last
        /// one.
        pub fn runs(&self) -> u64 = self.runs;

        /// Returns the times of whole runs, including the application of commands.
        pub fn timing(&self) -> Option<Timing> = self.total;

        /// Returns the systems, in the order in which they run.
        pub fn systems(&self) -> &[SystemReport] = &self.systems;

        /// Returns the stages that the systems are divided into. Between two stages, commands are applied or an
        /// exclusive system runs. Empty if the schedule has not been initialized.
        pub fn stages(&self) -> &[StageReport] = &self.stages;

        /// Returns the groups of row systems that may be run block by block, and whether they were in the last run. The
        /// [diagram](super::Schedule::diagram) shows why other systems are in no group. Empty if the schedule has not
        /// been initialized.
        pub fn pipelines(&self) -> &[PipelineReport] = &self.pipelines;
    }
}

/// The part of a [`ScheduleReport`] about one system.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn idle() {}
/// # let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.set_profiling(true).add_systems(idle);
/// (0..10).for_each(|_| schedule.run(&mut world));
/// let report = schedule.report(&world);
/// let idle = &report.systems()[0];
/// assert!(idle.name().ends_with("::idle"));
/// assert_eq!(idle.rows(), None); // It has no queries.
/// assert_eq!(idle.timing().unwrap().runs(), 10);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemReport {
    pub(super) name: String,
    pub(super) short: String,
    pub(super) outcome: SystemOutcome,
    pub(super) rows: Option<usize>,
    pub(super) commands: u64,
    pub(super) total_commands: u64,
    pub(super) times: Option<Timing>,
}

impl SystemReport {
    getters! {
        /// Returns the name of the system, with its modules.
        pub fn name(&self) -> &str = &self.name;

        /// Returns the outcome of the system in the last run.
        pub fn outcome(&self) -> &SystemOutcome = &self.outcome;

        /// Returns the number of rows in all tables that a query of the system matches, at the time of the report.
        /// Per-row filters, such as [`Changed`](crate::query::Changed), are ignored. `None` if the system has no
        /// queries, or has not been initialized for the world.
        pub fn rows(&self) -> Option<usize> = self.rows;

        /// Returns the number of the system's commands that were applied in the last run.
        pub fn commands(&self) -> u64 = self.commands;

        /// Returns the number of the system's commands that were applied in all runs. The count begins when the
        /// schedule is initialized for its world, and again whenever systems are added to it.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// fn spawn(mut commands: Commands) {
        ///     commands.spawn_empty();
        /// }
        ///
        /// let mut world = World::new();
        /// let mut schedule = Schedule::default();
        /// schedule.add_systems(spawn);
        /// (0..3).for_each(|_| _ = schedule.run(&mut world));
        /// let report = schedule.report(&world);
        /// let spawn = &report.systems()[0];
        /// assert_eq!((spawn.commands(), spawn.total_commands()), (1, 3));
        /// ```
        pub fn total_commands(&self) -> u64 = self.total_commands;

        /// Returns the times that the system took in measured runs, including its conditions. `None` if it has not been
        /// measured yet.
        ///
        /// If the system is in a used pipeline, a time is the sum of the times of the system's blocks, on all threads,
        /// without its conditions. With several threads, the sum may exceed the time of the whole run.
        pub fn timing(&self) -> Option<Timing> = self.times;
    }
}

/// The outcome of a system in a run of a schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::SystemOutcome;
///
/// fn broken() -> Result {
///     Err("no bread".into())
/// }
/// # fn after() {}
///
/// let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((broken, after).chain());
/// schedule.try_run(&mut world).unwrap_err();
/// let report = schedule.report(&world);
/// assert_eq!(report.systems()[0].outcome().to_string(), "failed: no bread");
/// assert_eq!(report.systems()[1].outcome(), &SystemOutcome::Blocked { by: "broken".to_string() });
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SystemOutcome {
    /// There was no run, or the run ended with a panic before the system had finished.
    Unfinished,
    /// The system ran.
    Ran,
    /// The system failed.
    Failed {
        /// If a condition failed and not the system: the name of the condition.
        condition: Option<String>,
        /// The error that the system or condition returned, or the reason why it could not run.
        error: String,
    },
    /// The system was skipped because one of its own conditions did not hold.
    ConditionUnmet {
        /// The first condition that did not hold.
        condition: String,
    },
    /// The system was skipped because the conditions of a set that it is in did not hold.
    SetUnmet {
        /// The outermost set whose conditions did not hold.
        set: String,
        /// The first condition that did not hold.
        condition: String,
    },
    /// The system was skipped because one of its parameters reported that there is nothing to do.
    NothingToDo {
        /// The reason that the parameter gave, for instance "no entity matches the `Single` of parameter `player`".
        reason: String,
    },
    /// The system did not run because a system or condition that it depends on has failed.
    Blocked {
        /// The system or the condition that failed.
        by: String,
    },
}

/// The part of a [`ScheduleReport`] about one stage: the systems between two applications of commands.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn input() {}
/// # fn sound() {}
/// # let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems((input, sound));
/// schedule.run(&mut world);
/// let report = schedule.report(&world);
/// let stage = &report.stages()[0];
/// assert_eq!(stage.systems(), 0..2);
/// assert_eq!(stage.units(), None); // Two systems that do nothing are not worth a second thread.
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageReport {
    pub(super) systems: Range<usize>,
    pub(super) is_alone: bool,
    pub(super) units: Option<usize>,
    pub(super) cost: Option<Duration>,
    pub(super) estimate: Option<Duration>,
}

impl StageReport {
    getters! {
        /// Returns the positions of the stage's systems in [`ScheduleReport::systems`].
        pub fn systems(&self) -> Range<usize> = self.systems.clone();

        /// Returns whether the stage consists of one exclusive system.
        pub fn is_exclusive(&self) -> bool = self.is_alone;

        /// Returns the number of units that were divided among several threads in the last run. `None` if the systems
        /// of the stage, or their pipelines, ran one after the other.
        pub fn units(&self) -> Option<usize> = self.units;

        /// Returns the expected time of the stage on one thread, based on measured runs. It is known only if the
        /// [`MultiThreadedExecutor`](super::MultiThreadedExecutor) has to decide: not with the other executor, and not
        /// without the feature `parallel`.
        pub fn expected_cost(&self) -> Option<Duration> = self.cost;

        /// Returns the expected time of the stage on all threads of the pool. `None` if the executor did not estimate
        /// it.
        pub fn expected_parallel_cost(&self) -> Option<Duration> = self.estimate;
    }
}

/// The part of a [`ScheduleReport`] about one pipeline: consecutive row systems that may be run block by block. See
/// [`Schedule::set_pipelining`](super::Schedule::set_pipelining).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::{PipelineOutcome, Pipelining};
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
/// let mut world = World::new();
/// world.spawn((Speed(0.0), Height(10.0)));
/// let mut schedule = Schedule::default();
/// schedule.add_systems((gravity, fall).chain());
/// schedule.run(&mut world);
/// let report = schedule.report(&world);
/// let pipeline = &report.pipelines()[0];
/// assert_eq!((pipeline.systems(), pipeline.is_par()), (0..2, false));
/// // Of a single row nothing comes from memory twice.
/// assert_eq!(pipeline.outcome(), PipelineOutcome::FitsIntoCache);
///
/// schedule.set_pipelining(Pipelining::Always).run(&mut world);
/// assert_eq!(schedule.report(&world).pipelines()[0].outcome(), PipelineOutcome::Used);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PipelineReport {
    pub(super) systems: Range<usize>,
    pub(super) outcome: PipelineOutcome,
    pub(super) block_rows: usize,
    pub(super) is_par: bool,
}

impl PipelineReport {
    getters! {
        /// Returns the positions of the pipeline's systems in [`ScheduleReport::systems`].
        pub fn systems(&self) -> Range<usize> = self.systems.clone();

        /// Returns the outcome of the pipeline in the last run.
        pub fn outcome(&self) -> PipelineOutcome = self.outcome;

        /// Returns the number of rows of a block, whether the pipeline was used or not. The last block of a table may
        /// have fewer. The number depends on the processor and on the size of the components.
        pub fn block_rows(&self) -> usize = self.block_rows;

        /// Returns whether several threads may run blocks of the pipeline at the same time, because its systems are
        /// `par`. Otherwise all blocks are run on one thread.
        pub fn is_par(&self) -> bool = self.is_par;
    }
}

/// The outcome of a pipeline in a run of a schedule.
///
/// ```
/// use strata_ecs::schedule::PipelineOutcome;
///
/// let texts = [PipelineOutcome::Used, PipelineOutcome::TurnedOff].map(|outcome| outcome.to_string());
/// assert_eq!(texts, ["block by block", "one after the other, since pipelines are turned off"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PipelineOutcome {
    /// There was no run.
    NotRun,
    /// The pipeline was used: all its systems ran on one block of rows before any of them ran on the next.
    Used,
    /// The systems of the pipeline ran one after the other, because the rows fit into the second-level cache:
    /// [`Pipelining::Auto`](super::Pipelining::Auto).
    FitsIntoCache,
    /// The systems of the pipeline ran one after the other because of [`Pipelining::Never`](super::Pipelining::Never).
    TurnedOff,
}

/// The times of a system or schedule in the last measured runs.
///
/// ```
/// use strata_ecs::prelude::*;
/// # fn idle() {}
/// # let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.set_profiling(true).add_systems(idle);
/// schedule.run(&mut world);
/// let timing = schedule.report(&world).timing().unwrap();
/// assert_eq!(timing.runs(), 1);
/// assert!(timing.min() <= timing.median() && timing.median() <= timing.max());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    pub(super) runs: usize,
    pub(super) min: Duration,
    pub(super) median: Duration,
    pub(super) max: Duration,
}

impl Timing {
    /// Computes the statistics of ascending times in nanoseconds.
    pub(super) fn of(sorted: &[u64]) -> Option<Self> {
        let nanoseconds = |time: &u64| Duration::from_nanos(*time);
        let (min, max) = (sorted.first()?, sorted.last()?);
        let median = sorted.get(sorted.len() / 2)?;
        let [min, median, max] = [min, median, max].map(nanoseconds);
        Some(Self { runs: sorted.len(), min, median, max })
    }

    getters! {
        /// Returns the number of runs that were measured.
        pub fn runs(&self) -> usize = self.runs;

        /// Returns the shortest time.
        pub fn min(&self) -> Duration = self.min;

        /// Returns the median: half of the runs took no longer.
        pub fn median(&self) -> Duration = self.median;

        /// Returns the longest time.
        pub fn max(&self) -> Duration = self.max;
    }
}
