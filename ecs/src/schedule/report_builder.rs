//! Builds a report from the stored samples of the last runs.
//!
//! Tests: tests/schedules/schedule_views/reports.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use super::graph::{Condition, ScheduleGraph, SystemOrSet};
use super::names::{distinct, short};
use super::order::Ordering;
#[cfg(feature = "parallel")]
use super::parallel_plan::ParallelPlan;
use super::pipelines::{Pipeline, Pipelines, Pipelining};
use super::plan::{Plan, Stage, Task};
use super::report::{
    PipelineOutcome, PipelineReport, ScheduleReport, StageReport, SystemOutcome, SystemReport, Timing,
};
use super::samples::Samples;
use super::steps::{Outcome, Outcomes};
use crate::structure::store::Store;

/// The data from which a report is built.
pub(super) struct ReportBuilder<'a> {
    pub(super) graph: &'a ScheduleGraph,
    pub(super) order: &'a Ordering,
    pub(super) plan: &'a Plan,
    pub(super) outcomes: &'a Outcomes,
    pub(super) samples: &'a Samples,
    pub(super) pipelines: &'a Pipelines,
    #[cfg(feature = "parallel")]
    pub(super) parallel_plan: &'a ParallelPlan,
    pub(super) store: &'a Store,
}

/// Returns the report of a schedule that has no plan yet.
pub(super) fn blank(title: String, graph: &ScheduleGraph) -> ScheduleReport {
    let names = || graph.runnables.iter().map(|runnable| runnable.system.name());
    let system = |(name, short): (&str, String)| SystemReport {
        name: name.to_string(),
        short,
        outcome: SystemOutcome::Unfinished,
        rows: None,
        commands: 0,
        total_commands: 0,
        times: None,
    };
    let systems = names().zip(distinct(names())).map(system).collect();
    ScheduleReport { title, runs: 0, total: None, stages: Vec::new(), pipelines: Vec::new(), systems }
}

impl ReportBuilder<'_> {
    pub(super) fn report(&self, title: String) -> ScheduleReport {
        let names = || self.order.sequence.iter().map(|system| self.name(*system));
        let systems: Vec<_> =
            self.order.sequence.iter().zip(distinct(names())).map(|(at, short)| self.system(*at, short)).collect();
        let total = Timing::of(&self.samples.totals.sorted());
        let pipelines = self.pipelines.all.iter().map(|pipeline| self.pipeline(pipeline)).collect();
        ScheduleReport { title, runs: self.samples.runs, total, stages: self.stages(), pipelines, systems }
    }

    fn name(&self, system: u32) -> &str {
        self.graph.runnables[system as usize].system.name()
    }

    fn system(&self, system: u32, short: String) -> SystemReport {
        let step = self.plan.step_of[system as usize];
        SystemReport {
            name: self.name(system).to_string(),
            short,
            outcome: self.outcome(system, step),
            rows: self.graph.runnables[system as usize].system.rows(self.store),
            commands: self.samples.commands(step),
            total_commands: self.samples.total_commands(step),
            times: Timing::of(&self.samples.times(step)),
        }
    }

    fn outcome(&self, system: u32, step: u32) -> SystemOutcome {
        let facts = self.graph.runnables[system as usize].system.facts();
        let outcome = if self.outcomes.are_of(self.plan.steps.len()) { self.outcomes.get(step) } else { Outcome::Open };
        match outcome {
            Outcome::Open => SystemOutcome::Unfinished,
            Outcome::Ran => match facts.unmet_condition {
                Some(number) => {
                    let condition = facts.conditions.get(number);
                    let condition = condition.map_or_else(String::new, |condition| short(condition.name()));
                    SystemOutcome::ConditionUnmet { condition }
                }
                None => SystemOutcome::Ran,
            },
            Outcome::Failed | Outcome::ConditionFailed => self.failure(system, step),
            Outcome::Condition => {
                let number = self.outcomes.unmet(step).unwrap_or(0);
                SystemOutcome::ConditionUnmet { condition: nth(self.graph.conditions_of(system), number) }
            }
            Outcome::Set => self.unmet_set(step),
            Outcome::Param => SystemOutcome::NothingToDo {
                reason: facts.skipped_by.map_or_else(String::new, |reason| reason.to_string()),
            },
            Outcome::Blocked => SystemOutcome::Blocked { by: self.blocker(system, step) },
        }
    }

    fn gates(&self, step: u32) -> &[u32] {
        let gates = &self.plan.steps[step as usize].gates;
        &self.plan.gates[gates.start as usize..gates.end as usize]
    }

    fn failure(&self, system: u32, step: u32) -> SystemOutcome {
        let found = self.samples.failures.iter().find(|failure| failure.step == step);
        // The error is missing if the run ended in a panic.
        let error = found.map_or_else(|| String::from("the error is lost"), |failure| failure.text.clone());
        let condition = found.filter(|failure| failure.name != self.name(system)).map(|failure| short(&failure.name));
        SystemOutcome::Failed { condition, error }
    }

    /// Returns which condition of the sets around a step did not hold, as the outcome of the step's system.
    fn unmet_set(&self, step: u32) -> SystemOutcome {
        let mut gates = self.gates(step).iter().copied();
        let unmet = gates.find_map(|gate| match (self.plan.steps[gate as usize].task, self.outcomes.unmet(gate)) {
            (Task::Ask(set), Some(number)) => Some((set, number)),
            _ => None,
        });
        let Some((set, number)) = unmet else {
            // No condition was unmet, so a condition failed and the error handler continued the run.
            let mut gates = self.gates(step).iter();
            let failed = gates.find_map(|gate| self.samples.failures.iter().find(|failure| failure.step == *gate));
            let by = failed.map_or_else(String::new, |failure| short(&failure.name));
            return SystemOutcome::Blocked { by };
        };
        let condition = nth(&self.graph.sets[set as usize].conditions, number);
        SystemOutcome::SetUnmet { set: short(&self.graph.name(SystemOrSet::Set(set))), condition }
    }

    /// Returns the name of the system or condition whose failure blocked a system.
    fn blocker(&self, system: u32, step: u32) -> String {
        let blocks = |at: u32| match self.plan.steps[at as usize].task {
            Task::System(first) => self.order.after(first).any(|later| later == system),
            Task::Ask(_) => {
                let is_gated = |other: u32| self.gates(self.plan.step_of[other as usize]).contains(&at);
                let mut gated = self.order.sequence.iter().copied().filter(|other| is_gated(*other));
                self.gates(step).contains(&at)
                    || gated.any(|first| self.order.after(first).any(|later| later == system))
            }
        };
        let mut failures = self.samples.failures.iter().filter(|failure| failure.stops);
        failures.find(|failure| blocks(failure.step)).map_or_else(String::new, |failure| short(&failure.name))
    }

    fn stages(&self) -> Vec<StageReport> {
        let mut start = 0;
        let mut stages = Vec::new();
        for (number, stage) in self.plan.stages.iter().enumerate() {
            let (steps, is_alone) = match stage {
                Stage::Shared { steps, .. } => (steps.clone(), false),
                Stage::Exclusive { step } => (*step..*step + 1, true),
                Stage::Apply { .. } => continue,
            };
            let is_system = |step: &&super::plan::PlanStep| matches!(step.task, Task::System(_));
            let count = self.plan.steps[steps.start as usize..steps.end as usize].iter().filter(is_system).count();
            let (units, cost, estimate) = self.threads(number);
            stages.push(StageReport { systems: start..start + count, is_alone, units, cost, estimate });
            start += count;
        }
        stages
    }

    fn pipeline(&self, pipeline: &Pipeline) -> PipelineReport {
        let first = match self.plan.steps[pipeline.steps.start as usize].task {
            Task::System(system) => self.order.sequence.iter().position(|other| *other == system),
            Task::Ask(_) => None,
        };
        let first = first.unwrap_or(0);
        // `decide` set `is_used` before the last run and has not been called since.
        let outcome = match (self.samples.runs, self.pipelines.mode) {
            (0, _) => PipelineOutcome::NotRun,
            _ if pipeline.is_used => PipelineOutcome::Used,
            (_, Pipelining::Never) => PipelineOutcome::TurnedOff,
            _ => PipelineOutcome::FitsIntoCache,
        };
        let systems = first..first + pipeline.steps.len();
        PipelineReport { systems, outcome, block_rows: pipeline.block_rows, is_par: pipeline.is_par }
    }

    /// Returns the number of units of a stage, if it was run in parallel, and the expected times of the stage on one
    /// thread and on several.
    #[cfg(feature = "parallel")]
    fn threads(&self, stage: usize) -> (Option<usize>, Option<Duration>, Option<Duration>) {
        let decision = self.parallel_plan.decision(stage);
        let alone = decision.map(|decision| Duration::from_nanos(decision.alone));
        let estimate = decision.and_then(|decision| decision.estimate).map(Duration::from_nanos);
        (self.parallel_plan.used_units(stage), alone, estimate)
    }

    #[cfg(not(feature = "parallel"))]
    fn threads(&self, _: usize) -> (Option<usize>, Option<Duration>, Option<Duration>) {
        (None, None, None)
    }
}

fn nth(conditions: &[Condition], number: usize) -> String {
    conditions.get(number).map_or_else(String::new, |condition| short(condition.system.name()))
}
