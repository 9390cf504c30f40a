//! The data built from a graph for a world: the plan of a run, and the state that is kept between runs.
//!
//! Tests: tests/schedules/schedule/many_runs.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use super::costs::Costs;
use super::error::{ScheduleError, SystemError};
use super::graph::ScheduleGraph;
use super::ids::{IdMarks, IdSources};
use super::order::Ordering;
#[cfg(feature = "parallel")]
use super::parallel_plan::ParallelPlan;
use super::pipelines::{Pipelines, PlannedGraph};
use super::plan::{Plan, Stage};
use super::samples::Samples;
use super::steps::{ErrorHandlers, Outcome, Outcomes, RunContext, ScheduleErrorHandler};
use crate::schedule::label::InternedScheduleLabel;
use crate::structure::store::{Store, WorldId};
use crate::util::pool::nanoseconds;
use crate::util::trace::RunSpan;

/// The data built from the graph for a world.
pub(super) struct BuiltSchedule {
    /// The world of the plan. `None` if the schedule has to be built again before the next run, because a system has
    /// replaced the world or because `prepare_again` was called.
    pub(super) world: Option<WorldId>,
    pub(super) steps: PlannedSteps,
    pub(super) costs: Costs,
    pub(super) samples: Samples,
    pub(super) id_sources: IdSources,
    pub(super) reads_messages: bool,
    pub(super) pipelines: Pipelines,
    #[cfg(feature = "parallel")]
    pub(super) parallel_plan: ParallelPlan,
    /// The number of following runs that may take the fast path. The fast path only runs the steps of the only stage:
    /// nothing is measured, recorded or run in parallel. Must be set to zero when a setting changes that the fast path
    /// ignores.
    pub(super) plain_runs: u64,
}

/// The steps of a run in their order, and the outcome of each in the last run.
pub(super) struct PlannedSteps {
    pub(super) order: Ordering,
    pub(super) plan: Plan,
    pub(super) outcomes: Outcomes,
    pub(super) id_marks: IdMarks,
}

impl PlannedSteps {
    /// Returns the data that the steps of a run share.
    // Inlined because each schedule run calls it, and the value is large.
    #[inline(always)]
    pub(super) fn shared(
        &self,
        label: Option<InternedScheduleLabel>,
        handler: Option<ScheduleErrorHandler>,
        store: &Store,
        span: RunSpan,
    ) -> RunContext<'_> {
        let handlers = ErrorHandlers { of_schedule: handler, of_world: store.commands.errors.handler };
        let Self { order, plan, outcomes, id_marks } = self;
        RunContext { plan, order, outcomes, id_marks, handlers, label, span }
    }

    pub(super) fn layout<'a>(&'a self, graph: &'a ScheduleGraph, pipelines: &'a Pipelines) -> PlannedGraph<'a> {
        PlannedGraph { graph, order: &self.order, plan: &self.plan, pipelines }
    }
}

impl BuiltSchedule {
    /// Returns the number of runs that may take the fast path after this run, if it had no errors.
    pub(super) fn plain_runs_after(&self, profiles: bool) -> u64 {
        let [Stage::Shared { recorders, .. }] = self.steps.plan.stages.as_slice() else { return 0 };
        #[cfg(feature = "parallel")]
        let is_in_units = self.parallel_plan.has_units();
        #[cfg(not(feature = "parallel"))]
        let is_in_units = false;
        // Without the standard library a panic cannot be caught, and ids have to be placed after each run. So no run takes the fast path.
        let is_plain = cfg!(feature = "std")
            && recorders.is_empty()
            && !(self.reads_messages || profiles || is_in_units)
            && self.world.is_some()
            && self.pipelines.all.iter().all(|pipeline| !pipeline.is_used);
        if is_plain { self.costs.runs_before_measured() } else { 0 }
    }

    /// Resets the records of a run. Returns whether this run is to be measured.
    pub(super) fn begin_run(&mut self, profiles: bool) -> bool {
        let Self { steps: PlannedSteps { plan, outcomes, id_marks, .. }, costs, samples, .. } = self;
        self.plain_runs = 0;
        outcomes.reset(plan.steps.len());
        id_marks.reset(plan);
        samples.begin(plan.steps.len());
        costs.begin(plan.steps.len(), profiles)
    }

    /// Records the errors of a run. Returns an error if a system failed and the run is to report it: the error of the
    /// first such step.
    #[cold]
    pub(super) fn note_errors(&mut self, errors: Vec<(u32, Box<SystemError>)>) -> Result<(), ScheduleError> {
        // User code formats the errors and may panic, so callers record errors at the end of a run.
        self.samples.add_failures(&errors);
        let errors = errors.into_iter().filter(|(_, error)| error.stops);
        match errors.min_by_key(|(step, _)| *step) {
            Some((_, error)) => Err(ScheduleError::System(*error)),
            None => Ok(()),
        }
    }

    /// Records the times of the steps that ran, and of the whole run.
    pub(super) fn note_times(&mut self, total: Duration) {
        for step in 0..self.steps.plan.steps.len() as u32 {
            if matches!(self.steps.outcomes.get(step), Outcome::Ran | Outcome::Failed) {
                self.samples.add_time(step, self.costs.measured(step));
            }
        }
        self.samples.totals.add(nanoseconds(total));
    }
}
