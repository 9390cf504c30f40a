//! What became of a run of a schedule, and what its systems cost.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::time::Duration;

/// How the last run of a schedule went, system by system, and what the last measured runs cost. Printed
/// ([`Display`](core::fmt::Display)) it is a table.
///
/// Runs are measured now and then: the second, the third, the fifth, and so on, and in the long run each 64th;
/// [`Schedule::set_profiling`](super::Schedule::set_profiling) has each run measured. Of each system the times of the last 32
/// measured runs are kept in which it ran. Commands are counted in the last run and in all of them; all else is of the last run,
/// measured or not. A run that ends with a panic counts, but is not measured. Nothing is measured without the feature `std`.
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
        /// How many runs there have been since the schedule was initialised for its world: the report is of the last one.
        pub fn runs(&self) -> u64 = self.runs;

        /// How long runs took from beginning to end, with the application of commands.
        pub fn timing(&self) -> Option<Timing> = self.total;

        /// The systems, in the order in which they run.
        pub fn systems(&self) -> &[SystemReport] = &self.systems;

        /// What the systems are divided into: between two stages commands are applied, or a system runs that needs the world for
        /// itself. Empty if the schedule has not been initialised.
        pub fn stages(&self) -> &[StageReport] = &self.stages;

        /// The row systems that may be run block by block, and what was made of it in the last run. Why other systems are not among
        /// them the [diagram](super::Schedule::diagram) tells. Empty if the schedule has not been initialised.
        pub fn pipelines(&self) -> &[PipelineReport] = &self.pipelines;
    }
}

/// What a [`ScheduleReport`] says of a system.
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

        /// What became of it in the last run.
        pub fn outcome(&self) -> &SystemOutcome = &self.outcome;

        /// How many rows there are, at the time of the report, in the tables that its queries match, all queries taken together.
        /// Filters that look at each row, as [`Changed`](crate::query::Changed) does, let fewer pass. `None` if it has no
        /// queries, or has not been initialised for the world.
        pub fn rows(&self) -> Option<usize> = self.rows;

        /// How many of its commands were applied in the last run.
        pub fn commands(&self) -> u64 = self.commands;

        /// How many of its commands were applied in all runs since the schedule was initialised for its world, or since systems were
        /// added to it.
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

        /// How long it took in measured runs, with its conditions. `None` if it was not measured yet.
        ///
        /// In a pipeline that was used these are the times of its blocks, added, on whatever threads they were; conditions are not
        /// in it then. They may add up to more than the whole run took, if that was on several threads.
        pub fn timing(&self) -> Option<Timing> = self.times;
    }
}

/// What became of a system in a run of a schedule.
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
    /// There was no run, or it ended in a panic before the system had finished.
    Unfinished,
    /// It ran.
    Ran,
    /// It failed.
    Failed {
        /// The condition that failed, if it was not the system.
        condition: Option<String>,
        /// What it returned, or why it could not run.
        error: String,
    },
    /// It was skipped, as a condition of its own did not hold.
    ConditionUnmet {
        /// The first condition that did not hold.
        condition: String,
    },
    /// It was skipped, as the conditions of a set that it is in did not hold.
    SetUnmet {
        /// The outermost set whose conditions did not hold.
        set: String,
        /// The first condition that did not hold.
        condition: String,
    },
    /// It was skipped, as one of its parameters says that there is nothing to do.
    NothingToDo {
        /// What the parameter says: as in "no entity matches the `Single` of parameter `player`".
        reason: String,
    },
    /// It did not run, as something that it is ordered after has failed.
    Blocked {
        /// The system or the condition that failed.
        by: String,
    },
}

/// What a [`ScheduleReport`] says of a stage: of systems between two applications of commands.
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
        /// Which systems: positions in [`ScheduleReport::systems`].
        pub fn systems(&self) -> Range<usize> = self.systems.clone();

        /// Whether it is one system that needs the world for itself.
        pub fn is_exclusive(&self) -> bool = self.is_alone;

        /// Into how many parts it was divided in the last run, to be taken by several threads. `None` if its systems, or the
        /// pipelines that they are in, ran one after the other.
        pub fn units(&self) -> Option<usize> = self.units;

        /// What it is expected to take on one thread, by what was measured. Known where the
        /// [`MultiThreadedExecutor`](super::MultiThreadedExecutor) has to decide, so not with the other executor, nor without the
        /// feature `parallel`.
        pub fn expected_cost(&self) -> Option<Duration> = self.cost;

        /// What it is expected to take on all threads of the pool. `None` if it is not worth the question.
        pub fn expected_parallel_cost(&self) -> Option<Duration> = self.estimate;
    }
}

/// What a [`ScheduleReport`] says of a pipeline: of row systems that follow each other and may be run block by block. See
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
        /// Which systems: positions in [`ScheduleReport::systems`].
        pub fn systems(&self) -> Range<usize> = self.systems.clone();

        /// What was made of it in the last run.
        pub fn outcome(&self) -> PipelineOutcome = self.outcome;

        /// How many rows a block has, whether it was used or not; the last one of each table may have fewer. It depends on the
        /// processor, and on the size of the components.
        pub fn block_rows(&self) -> usize = self.block_rows;

        /// Whether several threads may run blocks of it at the same time, since its systems are `par`. If they are not, all blocks
        /// are run on one thread.
        pub fn is_par(&self) -> bool = self.is_par;
    }
}

/// What was made of a pipeline in a run of a schedule.
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
    /// Those of its systems that ran were run on a block of rows each before any of them was run on the next.
    Used,
    /// Its systems were run one after the other, since the rows were so few that they fit into the second-level cache:
    /// [`Pipelining::Auto`](super::Pipelining::Auto).
    FitsIntoCache,
    /// Its systems were run one after the other, as [`Pipelining::Never`](super::Pipelining::Never) says.
    TurnedOff,
}

/// How long something took in the last measured runs.
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
    /// Of ascending times in nanoseconds.
    pub(super) fn of(sorted: &[u64]) -> Option<Self> {
        let nanoseconds = |time: &u64| Duration::from_nanos(*time);
        let (min, max) = (sorted.first()?, sorted.last()?);
        let median = sorted.get(sorted.len() / 2)?;
        let [min, median, max] = [min, median, max].map(nanoseconds);
        Some(Self { runs: sorted.len(), min, median, max })
    }

    getters! {
        /// How many runs there are figures of.
        pub fn runs(&self) -> usize = self.runs;

        /// The shortest time.
        pub fn min(&self) -> Duration = self.min;

        /// The median: half of the runs took no longer.
        pub fn median(&self) -> Duration = self.median;

        /// The longest time.
        pub fn max(&self) -> Duration = self.max;
    }
}
