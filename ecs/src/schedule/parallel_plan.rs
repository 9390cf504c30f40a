//! Decides which stages of a plan are run in parallel, and in which units.
//!
//! Tests: tests/schedules/schedule/threads.rs

use alloc::vec::Vec;
use core::ops::Range;

use super::executor::Executor;
use super::pipelines::PlannedGraph;
use super::plan::{Plan, Stage};
use super::units::{Precedence, StageUnits, is_chain, is_worth_it};
use crate::structure::store::Store;

impl PlannedGraph<'_> {
    /// Returns the ranges of steps of a stage that must not be split: the used pipelines, and single steps. The ranges
    /// are relative to the first step of the stage.
    fn nodes(&self, steps: &Range<u32>) -> Vec<Range<u32>> {
        let mut nodes = Vec::with_capacity(steps.len());
        let mut at = steps.start;
        for pipeline in self.pipelines.used_in(steps).iter().filter(|pipeline| pipeline.is_used) {
            nodes.extend((at..pipeline.steps.start).map(|step| step..step + 1));
            nodes.push(pipeline.steps.clone());
            at = pipeline.steps.end;
        }
        nodes.extend((at..steps.end).map(|step| step..step + 1));
        nodes.iter_mut().for_each(|node| *node = node.start - steps.start..node.end - steps.start);
        nodes
    }
}

/// For each stage: the data for running it in parallel.
#[derive(Default)]
pub(super) struct ParallelPlan {
    /// The executor for which this data was computed.
    executor: Option<Executor>,
    /// The version of the pipeline choice for which this data was computed.
    pipelines: u32,
    /// For each stage: whether each step waits for the previous one, so that nothing can run in parallel.
    chains: Vec<bool>,
    /// For each stage: the order in which steps have to finish. `None` for a stage with a single step, and for a chain.
    precedences: Vec<Option<Precedence>>,
    /// For each stage: the units to run in parallel, if that pays off.
    units: Vec<Option<StageUnits>>,
    /// For each stage: the measured time of the last parallel run in nanoseconds; zero if it was not measured.
    walls: Vec<u64>,
    trials: Vec<Trial>,
    /// For each stage: the last decision.
    decisions: Vec<Option<TimeEstimate>>,
    /// For each stage: the number of units in the last run, if that run was followed by a decision.
    before: Vec<Option<usize>>,
    is_decided: bool,
}

/// The expected time of a stage, in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct TimeEstimate {
    /// The time on one thread.
    pub(super) alone: u64,
    /// The time on all threads, if it was estimated.
    pub(super) estimate: Option<u64>,
}

/// Records that a stage was measured to be no faster in parallel, although the estimate said that it is.
#[derive(Clone, Copy, Default)]
struct Trial {
    /// The number of decisions for which the stage is not run in parallel, from now on.
    pause: u32,
    /// The length of the last pause, in decisions.
    last_pause: u32,
}

impl Trial {
    /// The longest pause, in decisions.
    const MOST: u32 = 64;

    /// Records that a stage took `wall` in parallel, and would have taken `alone` on one thread. Returns whether to run
    /// the stage in parallel.
    fn update_trial(&mut self, wall: u64, alone: u64) -> bool {
        if wall != 0 && wall > alone {
            self.last_pause = (self.last_pause * 2).clamp(1, Self::MOST);
            self.pause = self.last_pause;
        } else if wall != 0 {
            self.last_pause = 0;
        }
        let goes_on = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        goes_on
    }
}

impl ParallelPlan {
    /// Called before a run. Returns for each stage the units to run in parallel, and the place for their measured time.
    pub(super) fn prepare(
        &mut self,
        executor: Executor,
        layout: PlannedGraph<'_>,
        store: &Store,
    ) -> (&[Option<StageUnits>], &mut [u64]) {
        self.is_decided = false;
        self.walls.iter_mut().for_each(|wall| *wall = 0);
        if self.executor != Some(executor) || self.pipelines != layout.pipelines.version {
            self.restart(executor, layout, store);
        }
        (&self.units, &mut self.walls)
    }

    /// Returns whether some stage is run in parallel, or a decision has been recorded for a report since the last run.
    pub(super) fn has_units(&self) -> bool {
        self.is_decided || self.units.iter().any(Option::is_some)
    }

    fn restart(&mut self, executor: Executor, layout: PlannedGraph<'_>, store: &Store) {
        let count = layout.plan.stages.len();
        // `executor` is set at the end: if an allocation fails before, the next run starts over.
        self.executor = None;
        self.pipelines = layout.pipelines.version;
        self.decisions = alloc::vec![None; count];
        self.precedences.resize_with(count, || None);
        self.units.clear();
        self.units.resize_with(count, || None);
        self.walls.resize(count, 0);
        self.trials.resize(count, Trial::default());
        if executor.is_parallel() && self.chains.len() != count {
            // The chains and precedences are computed here, not when parallel execution turns out to be worth it, because the first run
            // takes long anyway.
            let plan = layout.plan;
            let components = &store.structure.archetypes.components;
            let of_stage = |stage| Some(steps_of(plan, stage)).filter(|steps| steps.len() > 1);
            let is_chain = |steps| is_chain(layout, &steps, components);
            let chains: Vec<_> = (0..count).map(|stage| of_stage(stage).is_none_or(is_chain)).collect();
            for stage in (0..count).filter(|stage| !chains[*stage]) {
                let precedence = Precedence::of(layout, &steps_of(plan, stage), components);
                self.precedences[stage] = Some(precedence);
            }
            self.chains = chains;
        }
        if executor.is_eager() {
            for stage in 0..count {
                self.units[stage] = self.precedences[stage].as_ref().map(|precedence| {
                    let nodes = layout.nodes(&steps_of(layout.plan, stage));
                    StageUnits::of(precedence, &nodes)
                });
            }
        }
        self.executor = Some(executor);
    }

    /// Called after a run in which the costs of the steps were measured. Decides again which stages to run in parallel.
    /// `costs` are the times that the steps take on one thread, no matter which thread ran them.
    pub(super) fn decide(&mut self, executor: Executor, layout: PlannedGraph<'_>, store: &Store, costs: &[u64]) {
        if !executor.is_parallel() || executor.is_eager() {
            return;
        }
        self.before.clear();
        self.before.extend(self.units.iter().map(|units| units.as_ref().map(|units| units.steps.len())));
        self.is_decided = true;
        for (number, stage) in layout.plan.stages.iter().enumerate() {
            let Stage::Shared { steps, .. } = stage else { continue };
            let costs = &costs[steps.start as usize..steps.end as usize];
            self.units[number] = None;
            let alone: u64 = costs.iter().sum();
            self.decisions[number] = Some(TimeEstimate { alone, estimate: None });
            let goes_on = self.trials[number].update_trial(self.walls[number], alone) && is_worth_it(costs);
            let Some(precedence) = self.precedences[number].as_ref().filter(|_| goes_on) else { continue };
            // A used pipeline is one unit, so there may be fewer units than steps, and too few for several threads.
            let nodes = layout.nodes(steps);
            let of_node = |node: &Range<u32>| costs[node.start as usize..node.end as usize].iter().sum();
            let of_nodes: Vec<u64> = nodes.iter().map(of_node).collect();
            if !is_worth_it(&of_nodes) {
                continue;
            }
            let threads = store.pool.threads();
            if threads < 2 {
                continue;
            }
            let units = StageUnits::of(precedence, &nodes);
            let estimate = units.estimate(&of_nodes, threads);
            self.decisions[number] = Some(TimeEstimate { alone, estimate: Some(estimate) });
            if estimate * 10 < alone * 9 {
                self.units[number] = Some(units);
            }
        }
    }

    /// Returns the number of units of a stage in the last run, if the stage was run in parallel.
    pub(super) fn used_units(&self, stage: usize) -> Option<usize> {
        if self.is_decided {
            return self.before.get(stage).copied().flatten();
        }
        self.units.get(stage)?.as_ref().map(|units| units.steps.len())
    }

    /// Returns the expected time of a stage, if it was measured and there was something to decide.
    pub(super) fn decision(&self, stage: usize) -> Option<TimeEstimate> {
        self.decisions.get(stage).copied().flatten()
    }
}

/// Returns the steps of a stage. The range is empty if the stage is not a shared stage.
fn steps_of(plan: &Plan, stage: usize) -> Range<u32> {
    match &plan.stages[stage] {
        Stage::Shared { steps, .. } => steps.clone(),
        Stage::Exclusive { .. } | Stage::Apply { .. } => 0..0,
    }
}
