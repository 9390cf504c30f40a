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
/// Only some runs are measured: the second, the third, the fifth, and so on, and in the long term every 64th;
/// [`Schedule::set_profiling`](super::Schedule::set_profiling) makes every run measured. For each system, the times of
/// the last 32 measured runs in which it ran are kept. Commands are counted for the last run and for all runs. All other
/// data is from the last run, measured or not. A run that ends with a panic counts as a run, but is not measured.
/// Nothing is measured without the feature `std`.
///
/// Made by [`Schedule::report`](super::Schedule::report).
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
        /// The number of runs since the schedule was initialized for its world. The report describes the last one.
        pub fn runs(&self) -> u64 = self.runs;

        /// The total time of runs, including the application of commands.
        pub fn timing(&self) -> Option<Timing> = self.total;

        /// The systems, in the order in which they run.
        pub fn systems(&self) -> &[SystemReport] = &self.systems;

        /// The stages that the systems are divided into: between two stages, commands are applied or an exclusive system
        /// runs. Empty if the schedule has not been initialized.
        pub fn stages(&self) -> &[StageReport] = &self.stages;

        /// The row systems that may be run block by block, and whether they were in the last run. The
        /// [diagram](super::Schedule::diagram) shows why other systems are not among them. Empty if the schedule has not
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
        /// The name, with its modules.
        pub fn name(&self) -> &str = &self.name;

        /// Its outcome in the last run.
        pub fn outcome(&self) -> &SystemOutcome = &self.outcome;

        /// The number of rows, at the time of the report, in the tables that any of its queries matches. Per-row
        /// filters, such as [`Changed`](crate::query::Changed), are ignored. `None` if it has no queries, or has not
        /// been initialized for the world.
        pub fn rows(&self) -> Option<usize> = self.rows;

        /// The number of its commands that were applied in the last run.
        pub fn commands(&self) -> u64 = self.commands;

        /// The number of its commands that were applied in all runs since the schedule was initialized for its world, or
        /// since systems were last added to it.
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

        /// The time it took in measured runs, including its conditions. `None` if it has not been measured yet.
        ///
        /// If it is in a used pipeline, this is the sum of the times of its blocks, on all threads, without its
        /// conditions. With several threads, the sum may exceed the time of the whole run.
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
    /// There was no run, or the run ended in a panic before the system had finished.
    Unfinished,
    /// It ran.
    Ran,
    /// It failed.
    Failed {
        /// The condition that failed, if it was a condition and not the system.
        condition: Option<String>,
        /// The error that it returned, or why it could not run.
        error: String,
    },
    /// It was skipped because one of its own conditions did not hold.
    ConditionUnmet {
        /// The first condition that did not hold.
        condition: String,
    },
    /// It was skipped because the conditions of a set that it is in did not hold.
    SetUnmet {
        /// The outermost set whose conditions did not hold.
        set: String,
        /// The first condition that did not hold.
        condition: String,
    },
    /// It was skipped because one of its parameters reported that there is nothing to do.
    NothingToDo {
        /// The reason of the parameter, as in "no entity matches the `Single` of parameter `player`".
        reason: String,
    },
    /// It did not run because a system or condition that it depends on has failed.
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
        /// The positions of its systems in [`ScheduleReport::systems`].
        pub fn systems(&self) -> Range<usize> = self.systems.clone();

        /// Whether it consists of one exclusive system.
        pub fn is_exclusive(&self) -> bool = self.is_alone;

        /// The number of units that several threads could take in the last run. `None` if its systems, or the pipelines
        /// that they are in, ran one after the other.
        pub fn units(&self) -> Option<usize> = self.units;

        /// The expected time on one thread, based on measured runs. Only known if the
        /// [`MultiThreadedExecutor`](super::MultiThreadedExecutor) has to decide, and so neither with the other executor
        /// nor without the feature `parallel`.
        pub fn expected_cost(&self) -> Option<Duration> = self.cost;

        /// The expected time on all threads of the pool. `None` if the executor did not estimate it.
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
        /// The positions of its systems in [`ScheduleReport::systems`].
        pub fn systems(&self) -> Range<usize> = self.systems.clone();

        /// Its outcome in the last run.
        pub fn outcome(&self) -> PipelineOutcome = self.outcome;

        /// The number of rows of a block, whether the pipeline was used or not; the last block of each table may have
        /// fewer. It depends on the processor and on the size of the components.
        pub fn block_rows(&self) -> usize = self.block_rows;

        /// Whether several threads may run blocks of it at the same time, because its systems are `par`. Otherwise all
        /// blocks are run on one thread.
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
    /// All its systems that ran were run on one block of rows before any of them was run on the next.
    Used,
    /// Its systems were run one after the other because the rows fit into the second-level cache:
    /// [`Pipelining::Auto`](super::Pipelining::Auto).
    FitsIntoCache,
    /// Its systems were run one after the other because of [`Pipelining::Never`](super::Pipelining::Never).
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
        /// The number of runs that were measured.
        pub fn runs(&self) -> usize = self.runs;

        /// The shortest time.
        pub fn min(&self) -> Duration = self.min;

        /// The median: half of the runs took no longer.
        pub fn median(&self) -> Duration = self.median;

        /// The longest time.
        pub fn max(&self) -> Duration = self.max;
    }
}
