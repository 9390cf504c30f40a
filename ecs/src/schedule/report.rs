//! What became of a run of a schedule, and what its systems cost; as a table, too.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
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
    /// How many runs there have been since the schedule was initialised for its world: the report is of the last one.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// How long runs took from beginning to end, with the application of commands.
    #[must_use]
    pub fn timing(&self) -> Option<Timing> {
        self.total
    }

    /// The systems, in the order in which they run.
    #[must_use]
    pub fn systems(&self) -> &[SystemReport] {
        &self.systems
    }

    /// What the systems are divided into: between two stages commands are applied, or a system runs that needs the world for
    /// itself. Empty if the schedule has not been initialised.
    #[must_use]
    pub fn stages(&self) -> &[StageReport] {
        &self.stages
    }

    /// The row systems that may be run block by block, and what was made of it in the last run. Why other systems are not among
    /// them the [diagram](super::Schedule::diagram) tells. Empty if the schedule has not been initialised.
    #[must_use]
    pub fn pipelines(&self) -> &[PipelineReport] {
        &self.pipelines
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
    /// The name, with its modules.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What became of it in the last run.
    #[must_use]
    pub fn outcome(&self) -> &SystemOutcome {
        &self.outcome
    }

    /// How many rows there are, at the time of the report, in the tables that its queries match, all queries taken together.
    /// Filters that look at each row, as [`Changed`](crate::query::Changed) does, let fewer pass. `None` if it has no
    /// queries, or has not been initialised for the world.
    #[must_use]
    pub fn rows(&self) -> Option<usize> {
        self.rows
    }

    /// How many of its commands were applied in the last run.
    #[must_use]
    pub fn commands(&self) -> u64 {
        self.commands
    }

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
    #[must_use]
    pub fn total_commands(&self) -> u64 {
        self.total_commands
    }

    /// How long it took in measured runs, with its conditions. `None` if it was not measured yet.
    ///
    /// In a pipeline that was used these are the times of its blocks, added, on whatever threads they were; conditions are not
    /// in it then. They may add up to more than the whole run took, if that was on several threads.
    #[must_use]
    pub fn timing(&self) -> Option<Timing> {
        self.times
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
    /// Which systems: positions in [`ScheduleReport::systems`].
    #[must_use]
    pub fn systems(&self) -> Range<usize> {
        self.systems.clone()
    }

    /// Whether it is one system that needs the world for itself.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.is_alone
    }

    /// Into how many parts it was divided in the last run, to be taken by several threads. `None` if its systems, or the
    /// pipelines that they are in, ran one after the other.
    #[must_use]
    pub fn units(&self) -> Option<usize> {
        self.units
    }

    /// What it is expected to take on one thread, by what was measured. Known where the
    /// [`MultiThreadedExecutor`](super::MultiThreadedExecutor) has to decide, so not with the other executor, nor without the
    /// feature `parallel`.
    #[must_use]
    pub fn expected_cost(&self) -> Option<Duration> {
        self.cost
    }

    /// What it is expected to take on all threads of the pool. `None` if it is not worth the question.
    #[must_use]
    pub fn expected_parallel_cost(&self) -> Option<Duration> {
        self.estimate
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
    /// Which systems: positions in [`ScheduleReport::systems`].
    #[must_use]
    pub fn systems(&self) -> Range<usize> {
        self.systems.clone()
    }

    /// What was made of it in the last run.
    #[must_use]
    pub fn outcome(&self) -> PipelineOutcome {
        self.outcome
    }

    /// How many rows a block has, whether it was used or not; the last one of each table may have fewer. It depends on the
    /// processor, and on the size of the components.
    #[must_use]
    pub fn block_rows(&self) -> usize {
        self.block_rows
    }

    /// Whether several threads may run blocks of it at the same time, since its systems are `par`. If they are not, all blocks
    /// are run on one thread.
    #[must_use]
    pub fn is_par(&self) -> bool {
        self.is_par
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

    /// How many runs there are figures of.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// The shortest time.
    #[must_use]
    pub fn min(&self) -> Duration {
        self.min
    }

    /// The median: half of the runs took no longer.
    #[must_use]
    pub fn median(&self) -> Duration {
        self.median
    }

    /// The longest time.
    #[must_use]
    pub fn max(&self) -> Duration {
        self.max
    }
}

impl fmt::Display for SystemOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished => f.write_str("did not finish"),
            Self::Ran => f.write_str("ran"),
            Self::Failed { condition: None, error } => write!(f, "failed: {error}"),
            Self::Failed { condition: Some(condition), error } => {
                write!(f, "failed: condition `{condition}`: {error}")
            }
            Self::ConditionUnmet { condition } => write!(f, "skipped: not `{condition}`"),
            Self::SetUnmet { set, condition } => write!(f, "skipped: not `{condition}` of set `{set}`"),
            Self::NothingToDo { reason } => write!(f, "skipped: {reason}"),
            Self::Blocked { by } => write!(f, "not run: after `{by}`, which failed"),
        }
    }
}

/// In the unit that suits, with three digits.
struct Time(Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos() as f64;
        let (value, unit) = match self.0.as_nanos() {
            0..1_000 => return write!(f, "{nanoseconds} ns"),
            1_000..1_000_000 => (nanoseconds / 1e3, "us"),
            1_000_000..1_000_000_000 => (nanoseconds / 1e6, "ms"),
            _ => (nanoseconds / 1e9, "s"),
        };
        let digits = if value < 10.0 {
            2
        } else if value < 100.0 {
            1
        } else {
            0
        };
        write!(f, "{value:.digits$} {unit}")
    }
}

/// With a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

const COLUMNS: usize = 8;

const HEADINGS: [&str; COLUMNS] = ["#", "system", "rows now", "commands", "in all", "min", "median", "max"];

/// Of which runs the columns are.
const LEGEND: &str = "commands: of the last run; in all: commands of all runs; times: of the last measured runs";

/// The cells of a line, but for the outcome.
fn cells(number: usize, system: &SystemReport) -> [String; COLUMNS] {
    let time = |which: fn(&Timing) -> Duration| {
        system.times.as_ref().map_or_else(|| String::from("-"), |times| Time(which(times)).to_string())
    };
    let count = |commands: u64| if commands == 0 { String::from("-") } else { grouped(commands) };
    [
        number.to_string(),
        system.short.clone(),
        system.rows.map_or_else(|| String::from("-"), |rows| grouped(rows as u64)),
        count(system.commands),
        count(system.total_commands),
        time(Timing::min),
        time(Timing::median),
        time(Timing::max),
    ]
}

fn write_line(
    f: &mut fmt::Formatter<'_>,
    cells: &[String; COLUMNS],
    widths: &[usize; COLUMNS],
    last: &dyn fmt::Display,
) -> fmt::Result {
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Names begin at the left, figures end at the right.
        if column == 1 { write!(f, "{cell:<width$}  ")? } else { write!(f, "{cell:>width$}  ")? }
    }
    writeln!(f, "{last}")
}

impl fmt::Display for StageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.units {
            _ if self.is_alone => f.write_str("with the world for itself")?,
            Some(units) => write!(f, "side by side, in {units} parts")?,
            None => f.write_str("one after the other")?,
        }
        if let Some(cost) = self.cost {
            write!(f, "; {} on one thread", Time(cost))?;
        }
        if let Some(estimate) = self.estimate {
            write!(f, ", {} expected on all", Time(estimate))?;
        }
        Ok(())
    }
}

impl fmt::Display for PipelineOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRun => "not run yet",
            Self::Used => "block by block",
            Self::FitsIntoCache => "one after the other, since the rows fit into the cache",
            Self::TurnedOff => "one after the other, since pipelines are turned off",
        })
    }
}

impl fmt::Display for PipelineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.outcome != PipelineOutcome::Used {
            return self.outcome.fmt(f);
        }
        let threads = if self.is_par { "several threads" } else { "one thread" };
        write!(f, "in blocks of {} rows, on {threads}", grouped(self.block_rows as u64))
    }
}

impl fmt::Display for ScheduleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.systems.len();
        write!(f, "{} of {count} system{}", self.title, if count == 1 { "" } else { "s" })?;
        match self.runs {
            0 => writeln!(f, ", not run yet")?,
            runs => writeln!(f, ", run {}", grouped(runs))?,
        }
        if let Some(Timing { runs, min, median, max }) = self.total {
            let [min, median, max] = [min, median, max].map(Time);
            writeln!(f, "{runs} measured runs: {min} to {max}, median {median}")?;
        }
        if self.runs > 0 {
            writeln!(f, "{LEGEND}")?;
        }
        let lines: Vec<_> = self.systems.iter().enumerate().map(|(at, system)| cells(at + 1, system)).collect();
        let headings = HEADINGS.map(String::from);
        let mut widths = [0; COLUMNS];
        for line in lines.iter().chain([&headings]) {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = cell.chars().count().max(*width);
            }
        }
        write_line(f, &headings, &widths, &"outcome")?;
        let mut stages = self.stages.iter().enumerate().peekable();
        let mut pipelines = self.pipelines.iter().enumerate().peekable();
        for (at, (line, system)) in lines.iter().zip(&self.systems).enumerate() {
            while let Some((number, stage)) = stages.next_if(|(_, stage)| stage.systems.start <= at) {
                if !stage.systems.is_empty() {
                    writeln!(f, "stage {}: {stage}", number + 1)?;
                }
            }
            if let Some((number, pipeline)) = pipelines.next_if(|(_, pipeline)| pipeline.systems.start == at) {
                let Range { start, end } = pipeline.systems;
                writeln!(f, "pipeline {}, systems {} to {end}: {pipeline}", number + 1, start + 1)?;
            }
            // An error may have several lines.
            let outcome = system.outcome.to_string().replace('\n', " ");
            write_line(f, line, &widths, &outcome)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let times = [(7, "7 ns"), (999, "999 ns"), (1_234, "1.23 us"), (56_789, "56.8 us"), (2_000_000_000, "2.00 s")];
        for (nanoseconds, text) in times {
            assert_eq!(Time(Duration::from_nanos(nanoseconds)).to_string(), text);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
