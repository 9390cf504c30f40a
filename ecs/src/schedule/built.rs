//! What is made of a graph for a world: the plan of a run, and what is kept from run to run.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use super::costs::Costs;
use super::error::{ScheduleError, SystemError};
use super::graph::Graph;
use super::ids::{IdMarks, IdSources};
use super::order::Ordering;
#[cfg(feature = "parallel")]
use super::parallel_plan::ParallelPlan;
use super::pipelines::{Layout, Pipelines};
use super::plan::{Plan, Stage};
use super::samples::Samples;
use super::steps::{ErrorHandlers, Outcome, Outcomes, RunContext, ScheduleErrorHandler};
use crate::label::InternedScheduleLabel;
use crate::pool::nanoseconds;
use crate::store::{Store, WorldId};
use crate::trace::RunSpan;

/// What was made of the graph for a world.
pub(super) struct Built {
    /// The world of the plan. None if the schedule has to be built again before the next run: because a system has put another world in the
    /// place of this one, or because that was asked for.
    pub(super) world: Option<WorldId>,
    pub(super) steps: PlannedSteps,
    pub(super) costs: Costs,
    pub(super) samples: Samples,
    pub(super) id_sources: IdSources,
    pub(super) reads_messages: bool,
    pub(super) pipelines: Pipelines,
    #[cfg(feature = "parallel")]
    pub(super) parallel_plan: ParallelPlan,
    /// How many runs from now on only go through the steps of the only stage: nothing is measured, recorded or run side by side. What
    /// that depends on sets this to zero when it changes.
    pub(super) plain_runs: u64,
}

/// The steps of a run in their order, and what became of each in the last run.
pub(super) struct PlannedSteps {
    pub(super) order: Ordering,
    pub(super) plan: Plan,
    pub(super) outcomes: Outcomes,
    pub(super) id_marks: IdMarks,
}

impl PlannedSteps {
    /// What the steps of a run share.
    // Each schedule that runs passes here, and the value is large.
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

    pub(super) fn layout<'a>(&'a self, graph: &'a Graph, pipelines: &'a Pipelines) -> Layout<'a> {
        Layout { graph, order: &self.order, plan: &self.plan, pipelines }
    }
}

impl Built {
    /// For how many runs after one that is known to have been without errors this only goes through the steps of its only stage.
    pub(super) fn plain_runs_after(&self, profiles: bool) -> u64 {
        let [Stage::Shared { recorders, .. }] = self.steps.plan.stages.as_slice() else { return 0 };
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

    /// Resets what is noted of a run. Returns whether this one is to be measured.
    pub(super) fn begin_run(&mut self, profiles: bool) -> bool {
        let Self { steps: PlannedSteps { plan, outcomes, id_marks, .. }, costs, samples, .. } = self;
        self.plain_runs = 0;
        outcomes.reset(plan.steps.len());
        id_marks.reset(plan);
        samples.begin(plan.steps.len());
        costs.begin(plan.steps.len(), profiles)
    }

    /// Notes the errors of a run, and returns that of the first step.
    #[cold]
    pub(super) fn note_errors(&mut self, errors: Vec<(u32, Box<SystemError>)>) -> Result<(), ScheduleError> {
        // User code writes their texts, which may panic: all else is done.
        self.samples.add_failures(&errors);
        let errors = errors.into_iter().filter(|(_, error)| error.stops);
        match errors.min_by_key(|(step, _)| *step) {
            Some((_, error)) => Err(ScheduleError::System(*error)),
            None => Ok(()),
        }
    }

    /// Notes what the steps took that ran, and the whole run.
    pub(super) fn note_times(&mut self, total: Duration) {
        for step in 0..self.steps.plan.steps.len() as u32 {
            if matches!(self.steps.outcomes.get(step), Outcome::Ran | Outcome::Failed) {
                self.samples.add_time(step, self.costs.measured(step));
            }
        }
        self.samples.totals.add(nanoseconds(total));
    }
}
