//! The run of a plan on a store, from the first stage to the last.
//!
//! A run has the same effect as its steps run one after the other, whatever the executor, the number of threads and the
//! measured costs. Two steps of a stage run in parallel only if no constraint orders them and neither writes what the
//! other accesses. All other effects of a run depend on the steps, not on the time:
//!
//! - Each step has its own tick, which is assigned before the stage begins.
//! - Each step that records commands has its own stream of ids, and a queue. The queues are applied in the order of the
//!   steps.
//! - If a command panics, the rest of its queue is dropped. The other queues of the same step and of the other steps
//!   are applied, and then the panic is resumed.
//! - If several steps fail, the error of the first one is returned.
//! - State that parallel systems share, such as the record that a consumer has read a column, must not depend on which
//!   system finishes last.
//!
//! `tests/schedules/determinism` compares whole worlds.
//!
//! Tests: tests/schedules/determinism, tests/schedules/schedule/panics.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::costs::{Costs, Measure as _, StepTimer, Unmeasured};
use super::error::SystemError;
use super::fused::{PanickedStep, PipelineRun};
use super::graph::ScheduleGraph;
use super::ids::{IdSources, OpenStreams};
use super::pipelines::Pipelines;
use super::plan::{Stage, Task, parts_of};
use super::samples::Samples;
use super::steps::{Outcome, PipelineAccess, RunContext, SharedSystems};
#[cfg(feature = "parallel")]
use super::{parallel::ParallelStage, units::StageUnits};
use crate::structure::cell::StoreCell;
use crate::structure::store::{Store, WorldId};
use crate::util::guard::for_each_until_all_had_their_turn;
#[cfg(feature = "std")]
use crate::util::guard::quietly;

/// A run in progress.
pub(super) struct ScheduleRun<'a> {
    pub(super) shared: RunContext<'a>,
    /// The world for which systems, plan and units were made; `None` as soon as it has been replaced by another world.
    pub(super) prepared_for: &'a mut Option<WorldId>,
    /// The world that the state of the systems belongs to.
    pub(super) systems_of: &'a mut Option<WorldId>,
    pub(super) graph: &'a mut ScheduleGraph,
    /// The errors, each with the index of its step.
    pub(super) errors: Vec<(u32, Box<SystemError>)>,
    /// The id sources of the world that the schedule runs in.
    pub(super) id_sources: &'a mut IdSources,
    pub(super) costs: &'a Costs,
    /// Samples of the run for a report.
    pub(super) samples: &'a mut Samples,
    /// Whether to measure the costs of the steps.
    pub(super) measures: bool,
    pub(super) pipelines: &'a Pipelines,
    /// For each stage: the units to run in parallel, if that pays off.
    #[cfg(feature = "parallel")]
    pub(super) units: &'a [Option<StageUnits>],
    /// For each stage: the time of its parallel run in nanoseconds, if it was measured.
    #[cfg(feature = "parallel")]
    pub(super) walls: &'a mut [u64],
    /// The step that has panicked on another thread.
    #[cfg(feature = "std")]
    pub(super) panicked: Option<u32>,
    /// The step that has panicked in a pipeline that this thread runs.
    pub(super) in_pipeline: PanickedStep,
}

impl ScheduleRun<'_> {
    /// Runs all stages.
    pub(super) fn run(&mut self, store: &mut Store) {
        for (number, stage) in self.shared.plan.stages.iter().enumerate() {
            self.guarded(number, store, |run, store| match stage {
                Stage::Shared { steps, ticks, recorders } => {
                    run.run_shared(number, steps.clone(), *ticks, recorders, store);
                }
                Stage::Exclusive { step } => run.run_alone(*step, store),
                Stage::Apply { steps } => run.apply(steps, store),
            });
        }
    }

    fn run_shared(&mut self, stage: usize, steps: Range<u32>, ticks: u32, recorders: &Range<u32>, store: &mut Store) {
        store.flush();
        let first = store.begin_runs(ticks);
        let shared = self.shared;
        let mut streams = OpenStreams::open(store, shared.plan, recorders, self.id_sources, shared.id_marks);
        let cell = StoreCell::exclusive(streams.store);
        // Units and pipelines were planned for the world that the systems were prepared for. In another world the steps run one by one.
        let is_planned = self.prepared_for.is_some();
        #[cfg(feature = "parallel")]
        if let Some(units) = self.units[stage].as_ref().filter(|_| is_planned) {
            let systems = SharedSystems::of(self.graph);
            let costs = self.measures.then_some(self.costs);
            let pool = cell.store().pool.clone();
            let pipelines = self.pipelines.used_in(&steps);
            let parallel = ParallelStage { shared, systems, units, steps, costs, pipelines };
            let start = self.measures.then(std::time::Instant::now);
            // SAFETY: nothing else borrows the store or the graph (both are borrowed mutably); all systems have been
            // initialized before the run and belong to the graph of the plan; exclusive systems have stages of their
            // own; the units were made of the precedence of this stage in this world (`is_planned`).
            let done = unsafe { parallel.run(&pool, cell, first) };
            self.walls[stage] = start.map_or(0, |start| start.elapsed().as_nanos() as u64);
            self.errors.extend(done.errors);
            if let Some((at, payload)) = done.panic {
                self.panicked = Some(at);
                drop(streams);
                std::panic::resume_unwind(payload);
            }
            return streams.close();
        }
        let _ = stage;
        let systems = SharedSystems::of(self.graph);
        let (errors, costs) = (&mut self.errors, self.measures.then_some(self.costs));
        let alone = |steps: Range<u32>, errors: &mut Vec<_>| match costs {
            Some(costs) => {
                let mut timer = StepTimer::start(costs);
                // SAFETY: nothing else borrows the store or the graph (both are borrowed mutably), and the steps run one
                // after the other; all systems have been initialized before the run and belong to the graph of the plan;
                // exclusive systems have stages of their own.
                unsafe { shared.run_steps(steps, systems, cell, first, errors, &mut timer) }
            }
            // SAFETY: nothing else borrows the store or the graph (both are borrowed mutably), and the steps run one
            // after the other; all systems have been initialized before the run and belong to the graph of the plan;
            // exclusive systems have stages of their own.
            None => unsafe { shared.run_steps(steps, systems, cell, first, errors, &mut Unmeasured) },
        };
        let mut start = steps.start;
        let pipelines = if is_planned { self.pipelines.used_in(&steps) } else { &[] };
        for pipeline in pipelines.iter().filter(|pipeline| pipeline.is_used) {
            alone(start..pipeline.steps.start, errors);
            start = pipeline.steps.end;
            // SAFETY: nothing else borrows the store or the graph (both are borrowed mutably); all systems have been
            // initialized for the store and belong to the graph of the plan; none is exclusive. The pipeline belongs to
            // the plan and is valid in this world (`is_planned`).
            let access = unsafe { PipelineAccess::new(shared.plan, systems, pipeline.steps.clone(), cell) };
            PipelineRun { shared, pipeline, first, costs, panicked: &self.in_pipeline }.run(access, errors);
        }
        alone(start..steps.end, errors);
        streams.close();
    }

    fn run_alone(&mut self, step: u32, store: &mut Store) {
        store.flush();
        store.place_pending();
        let world = store.id();
        let shared = self.shared;
        let (_, conditions) = parts_of(self.graph, shared.plan.steps[step as usize].task);
        let first = store.begin_runs(conditions.iter().map(|condition| condition.ticks).sum());
        let timer = self.measures.then(|| StepTimer::start(self.costs));
        // SAFETY: the systems belong to the graph that the plan was made of, which is borrowed mutably, so no other code
        // uses them; all have been initialized for the store.
        let error = unsafe { shared.run_alone(step, SharedSystems::of(self.graph), store, first) };
        if let Some(mut timer) = timer {
            timer.end_step(step);
        }
        self.errors.extend(error.map(|error| (step, error)));
        self.follow(world, store);
    }

    /// If the world has been replaced, sends commands that were not applied to the world for which they were recorded,
    /// and prepares all systems for the new world.
    fn follow(&mut self, world: WorldId, store: &mut Store) {
        if store.id() != world {
            // Both are reset before the systems are prepared: that runs user code, and if it panics, the systems must not count as
            // prepared.
            *self.prepared_for = None;
            *self.systems_of = None;
            self.send_home(store);
            // The result can be ignored: an earlier initialization has checked that no condition writes.
            let _ = self.graph.initialize(store);
            *self.systems_of = Some(store.id());
            *self.id_sources = IdSources::of(self.shared.label, self.graph, self.shared.plan, store);
        }
    }

    /// Sends everything that was recorded and not applied to the world for which it was recorded, which is not this
    /// one.
    fn send_home(&mut self, store: &mut Store) {
        for stage in &self.shared.plan.stages {
            let Stage::Apply { steps } = stage else { continue };
            for step in steps.iter().copied() {
                if let (true, Task::System(number)) =
                    (self.has_recorded(step), self.shared.plan.steps[step as usize].task)
                {
                    self.graph.runnables[number as usize].system.apply_deferred(store);
                }
            }
        }
    }

    /// Returns whether a step ran to its end, so that its recorded commands are applied.
    fn has_recorded(&self, step: u32) -> bool {
        matches!(self.shared.outcomes.get(step), Outcome::Ran | Outcome::Failed)
    }

    /// Applies the recorded commands of those of the steps that ran. If a command panics, the commands of the other
    /// steps are still applied, and then the panic is resumed.
    fn apply(&mut self, steps: &[u32], store: &mut Store) {
        let all = steps.iter().copied().map(Some).chain([None]);
        for_each_until_all_had_their_turn(all, |step| match step {
            Some(step) => self.apply_step(step, store),
            None => store.place_pending(),
        });
    }

    /// Applies the recorded commands of a step, if it ran. If an earlier command has replaced the world, the commands
    /// are sent to the world for which they were recorded.
    fn apply_step(&mut self, step: u32, store: &mut Store) {
        if let (true, Task::System(number)) = (self.has_recorded(step), self.shared.plan.steps[step as usize].task) {
            let (world, before) = (store.id(), store.commands.applied);
            self.graph.runnables[number as usize].system.apply_deferred(store);
            let count = store.commands.applied.wrapping_sub(before);
            if store.id() == world && count > 0 {
                self.samples.add_commands(step, count);
            }
            self.follow(world, store);
        }
    }

    /// Runs a stage. If it panics, the commands of systems that have finished are applied to the world for which they
    /// were recorded, and then the panic is resumed.
    #[cfg(feature = "std")]
    fn guarded(&mut self, number: usize, store: &mut Store, stage: impl FnOnce(&mut Self, &mut Store)) {
        use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

        let world = store.id();
        let Err(payload) = catch_unwind(AssertUnwindSafe(|| stage(self, store))) else { return };
        // `quietly` catches panics: the name of a set is formatted by user code, which may panic.
        quietly(|| self.report_panicked_step(number));
        // If a system has replaced the world, the recorded commands are sent to their own world.
        quietly(|| if store.id() == world { self.apply_before(number, store) } else { self.send_home(store) });
        resume_unwind(payload)
    }

    /// Runs a stage. Without the standard library a panic cannot be caught: then the next run discards the recorded
    /// commands.
    #[cfg(not(feature = "std"))]
    fn guarded(&mut self, _: usize, store: &mut Store, stage: impl FnOnce(&mut Self, &mut Store)) {
        /// Turns the pending ids into entities even after a panic, because every id that was given out must belong to
        /// an entity.
        struct PlaceOnDrop<'a>(&'a mut Store);

        impl Drop for PlaceOnDrop<'_> {
            fn drop(&mut self) {
                self.0.place_pending();
            }
        }

        let placed = PlaceOnDrop(store);
        stage(self, placed.0);
        core::mem::forget(placed);
    }

    #[cfg(feature = "std")]
    #[cold]
    fn report_panicked_step(&self, stage: usize) {
        let step = match &self.shared.plan.stages[stage] {
            Stage::Shared { steps, .. } => self
                .panicked
                .or_else(|| self.in_pipeline.step())
                .or_else(|| self.shared.outcomes.first_open(steps.clone())),
            Stage::Exclusive { step } => Some(*step),
            Stage::Apply { .. } => None,
        };
        tell_of_panic(&self.shared, self.graph, step);
    }

    /// Applies the commands that the next applying stage after `stage` would have applied. Does nothing if `stage` is
    /// an applying stage itself.
    #[cfg(feature = "std")]
    #[cold]
    fn apply_before(&mut self, stage: usize, store: &mut Store) {
        let rest = &self.shared.plan.stages[stage..];
        if let [Stage::Shared { .. } | Stage::Exclusive { .. }, ..] = rest {
            let next = rest.iter().find_map(|stage| match stage {
                Stage::Apply { steps } => Some(steps),
                _ => None,
            });
            if let Some(steps) = next {
                self.apply(steps, store);
            }
        }
    }
}

/// Prints which step has panicked, if it is known.
#[cfg(feature = "std")]
#[cold]
fn tell_of_panic(shared: &RunContext<'_>, graph: &ScheduleGraph, step: Option<u32>) {
    if let Some(step) = step {
        std::eprintln!("system `{}` panicked", shared.name(graph, step));
    }
}

/// Runs the steps of the only stage of a plan one after the other. This has the effect of a [`ScheduleRun`] in the case
/// that no step records anything or is in a pipeline, nothing runs in parallel, and nothing is measured.
#[cfg(feature = "std")]
#[inline]
pub(super) fn run_only_stage(
    shared: RunContext<'_>,
    graph: &mut ScheduleGraph,
    store: &mut Store,
) -> Vec<(u32, Box<SystemError>)> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let mut errors = Vec::new();
    let [Stage::Shared { steps, ticks, .. }] = shared.plan.stages.as_slice() else {
        unreachable!("`plain_runs_after` returns 0 for other plans")
    };
    let run = || {
        store.flush();
        let first = store.begin_runs(*ticks);
        let (cell, systems) = (StoreCell::exclusive(store), SharedSystems::of(graph));
        // SAFETY: nothing else borrows the store or the graph (both are borrowed mutably), and the steps run one after
        // the other; all systems have been initialized before the run and belong to the graph of the plan; exclusive
        // systems have stages of their own.
        unsafe { shared.run_steps(steps.clone(), systems, cell, first, &mut errors, &mut Unmeasured) };
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(()) => errors,
        Err(payload) => panicked_in(&shared, graph, steps.clone(), payload),
    }
}

/// Prints which of some steps has panicked, and resumes the panic.
#[cfg(feature = "std")]
#[cold]
fn panicked_in(
    shared: &RunContext<'_>,
    graph: &ScheduleGraph,
    steps: Range<u32>,
    payload: Box<dyn core::any::Any + Send>,
) -> ! {
    // `quietly` catches panics: the name of a set is formatted by user code, which may panic.
    quietly(|| tell_of_panic(shared, graph, shared.outcomes.first_open(steps)));
    std::panic::resume_unwind(payload)
}
