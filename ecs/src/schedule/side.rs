//! Which stages of a plan are run side by side, and in which units.

use alloc::vec::Vec;

use super::executor::Executor;
use super::graph::Graph;
use super::order::Ordering;
use super::plan::{Plan, Stage};
use super::units::{Precedence, Units, is_worth_it};
use crate::store::Store;

/// By stage: what is known of running it side by side.
#[derive(Default)]
pub(super) struct SideBySide {
    /// For which executor this is.
    executor: Option<Executor>,
    /// Found out when it is asked for the first time.
    precedences: Vec<Option<Precedence>>,
    /// What to run side by side, where that is worth it.
    units: Vec<Option<Units>>,
}

impl SideBySide {
    /// Before a run.
    pub(super) fn prepare(&mut self, executor: Executor, graph: &Graph, order: &Ordering, plan: &Plan, store: &Store) {
        if self.executor == Some(executor) {
            return;
        }
        self.executor = Some(executor);
        self.precedences.resize_with(plan.stages.len(), || None);
        self.units.clear();
        self.units.resize_with(plan.stages.len(), || None);
        if executor.is_eager() {
            for stage in 0..plan.stages.len() {
                self.units[stage] = self.precedence(stage, graph, order, plan, store).map(Units::single);
            }
        }
    }

    /// By stage: what to run side by side.
    pub(super) fn units(&self) -> &[Option<Units>] {
        &self.units
    }

    /// After a run in which it was measured what the steps cost: decides anew what is worth it. The costs of a step are those
    /// on one thread, wherever it ran.
    pub(super) fn decide(
        &mut self,
        executor: Executor,
        graph: &Graph,
        order: &Ordering,
        plan: &Plan,
        store: &Store,
        costs: &[u64],
    ) {
        if !executor.is_parallel() || executor.is_eager() {
            return;
        }
        for (number, stage) in plan.stages.iter().enumerate() {
            let Stage::Shared { steps, .. } = stage else { continue };
            let costs = &costs[steps.start as usize..steps.end as usize];
            self.units[number] = None;
            if !is_worth_it(costs) {
                continue;
            }
            let threads = store.pool.threads();
            let Some(precedence) = self.precedence(number, graph, order, plan, store).filter(|_| threads > 1) else {
                continue;
            };
            let units = Units::gathered(precedence, costs);
            let alone: u64 = costs.iter().sum();
            if units.estimate(costs, threads) * 10 < alone * 9 {
                self.units[number] = Some(units);
            }
        }
    }

    /// Which steps of a stage come before which; `None` for stages of one step.
    fn precedence(
        &mut self,
        stage: usize,
        graph: &Graph,
        order: &Ordering,
        plan: &Plan,
        store: &Store,
    ) -> Option<&Precedence> {
        let Stage::Shared { steps, .. } = &plan.stages[stage] else { return None };
        if steps.len() < 2 {
            return None;
        }
        let known = &mut self.precedences[stage];
        Some(known.get_or_insert_with(|| Precedence::of(graph, order, plan, steps, &store.components)))
    }
}
