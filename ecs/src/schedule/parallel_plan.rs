//! Which stages of a plan are run side by side, and in which units.

use alloc::vec::Vec;
use core::ops::Range;

use super::executor::Executor;
use super::pipelines::Layout;
use super::plan::{Plan, Stage};
use super::units::{Precedence, Units, is_chain, is_worth_it};
use crate::store::Store;

impl Layout<'_> {
    /// The steps of a stage, counted from its first, in runs that are not to be torn apart: pipelines that are used, and
    /// single steps.
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

/// By stage: what is known of running it side by side.
#[derive(Default)]
pub(super) struct ParallelPlan {
    /// For which executor this is.
    executor: Option<Executor>,
    /// For which choice of pipelines.
    pipelines: u32,
    /// Whether each of its steps waits for the one before. Then there is nothing to run side by side.
    chains: Vec<bool>,
    /// None of stages of one step and of chains.
    precedences: Vec<Option<Precedence>>,
    /// What to run side by side, where that is worth it.
    units: Vec<Option<Units>>,
    /// What it took side by side when that was measured last, in nanoseconds; zero if it was not.
    walls: Vec<u64>,
    trials: Vec<Trial>,
    /// What was decided last.
    decisions: Vec<Option<Decision>>,
    /// How many units there were in the last run, if it was followed by a decision.
    before: Vec<Option<usize>>,
    is_decided: bool,
}

/// What a stage is expected to take, in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    /// On one thread.
    pub(super) alone: u64,
    /// On all, if that was looked into.
    pub(super) estimate: Option<u64>,
}

/// Whether a stage was found to be no faster side by side, whatever was expected.
#[derive(Clone, Copy, Default)]
struct Trial {
    /// For how many decisions it is left alone.
    pause: u32,
    /// For how many it was left alone the last time.
    last_pause: u32,
}

impl Trial {
    /// The longest pause, in decisions.
    const MOST: u32 = 64;

    /// Takes note of a stage that took `wall` side by side, and would have taken `alone`. Returns whether to go on.
    fn judge(&mut self, wall: u64, alone: u64) -> bool {
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
    /// Before a run: by stage, what to run side by side, and where to note what it took.
    pub(super) fn prepare(
        &mut self,
        executor: Executor,
        layout: Layout<'_>,
        store: &Store,
    ) -> (&[Option<Units>], &mut [u64]) {
        self.is_decided = false;
        self.walls.iter_mut().for_each(|wall| *wall = 0);
        if self.executor != Some(executor) || self.pipelines != layout.pipelines.version {
            self.restart(executor, layout, store);
        }
        (&self.units, &mut self.walls)
    }

    /// Whether any stage is run side by side, or it is noted how that was in the last run.
    pub(super) fn has_units(&self) -> bool {
        self.is_decided || self.units.iter().any(Option::is_some)
    }

    fn restart(&mut self, executor: Executor, layout: Layout<'_>, store: &Store) {
        let count = layout.plan.stages.len();
        // Set in the end: if there is no memory for the rest, it is all done again the next time.
        self.executor = None;
        self.pipelines = layout.pipelines.version;
        self.decisions = alloc::vec![None; count];
        self.precedences.resize_with(count, || None);
        self.units.clear();
        self.units.resize_with(count, || None);
        self.walls.resize(count, 0);
        self.trials.resize(count, Trial::default());
        if executor.is_parallel() && self.chains.len() != count {
            // Here, and not when a run has turned out to be worth it: the first run takes long anyway.
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
                    Units::of(precedence, &nodes)
                });
            }
        }
        self.executor = Some(executor);
    }

    /// After a run in which it was measured what the steps cost: decides anew what is worth it. The costs of a step are those
    /// on one thread, wherever it ran.
    pub(super) fn decide(&mut self, executor: Executor, layout: Layout<'_>, store: &Store, costs: &[u64]) {
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
            self.decisions[number] = Some(Decision { alone, estimate: None });
            let goes_on = self.trials[number].judge(self.walls[number], alone) && is_worth_it(costs);
            let Some(precedence) = self.precedences[number].as_ref().filter(|_| goes_on) else { continue };
            // Steps that are not to be torn apart make less to hand over.
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
            let units = Units::of(precedence, &nodes);
            let estimate = units.estimate(&of_nodes, threads);
            self.decisions[number] = Some(Decision { alone, estimate: Some(estimate) });
            if estimate * 10 < alone * 9 {
                self.units[number] = Some(units);
            }
        }
    }

    /// In how many units a stage was run side by side in the last run, if it was.
    pub(super) fn used_units(&self, stage: usize) -> Option<usize> {
        if self.is_decided {
            return self.before.get(stage).copied().flatten();
        }
        self.units.get(stage)?.as_ref().map(|units| units.steps.len())
    }

    /// What a stage is expected to take, if that was measured and mattered.
    pub(super) fn decision(&self, stage: usize) -> Option<Decision> {
        self.decisions.get(stage).copied().flatten()
    }
}

/// The steps of a stage, if they share the world.
fn steps_of(plan: &Plan, stage: usize) -> Range<u32> {
    match &plan.stages[stage] {
        Stage::Shared { steps, .. } => steps.clone(),
        Stage::Exclusive { .. } | Stage::Apply { .. } => 0..0,
    }
}
