//! Running a plan on a store, from the first stage to the last.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::error::SystemError;
use super::graph::Graph;
use super::plan::{Stage, Task};
use super::steps::{Outcome, Shared, Systems};
use crate::cell::Cell;
use crate::store::Store;

/// A run that is on its way.
pub(super) struct Run<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) graph: &'a mut Graph,
    /// With the steps that they come from.
    pub(super) errors: Vec<(u32, Box<SystemError>)>,
}

impl Run<'_> {
    /// Runs all stages.
    pub(super) fn run(&mut self, store: &mut Store) {
        for (number, stage) in self.shared.plan.stages.iter().enumerate() {
            self.guarded(number, store, |run, store| match stage {
                Stage::Shared { steps, ticks } => run.run_shared(steps.clone(), *ticks, store),
                Stage::Alone { step } => run.run_alone(*step, store),
                Stage::Apply { steps } => run.apply(steps, store),
            });
        }
    }

    fn run_shared(&mut self, steps: core::ops::Range<u32>, ticks: u32, store: &mut Store) {
        store.flush();
        let first = store.begin_runs(ticks);
        let cell = Cell::exclusive(store);
        let systems = Systems::of(self.graph);
        for at in steps {
            let cell = cell.at(first.later(self.shared.plan.steps[at as usize].tick));
            // SAFETY: the store is borrowed mutably, and steps follow each other; all systems have been initialised before the
            // run, and those that need the world for themselves have stages of their own.
            if let Some(error) = unsafe { self.shared.run_step(at, systems, cell) } {
                self.errors.push((at, error));
            }
        }
    }

    fn run_alone(&mut self, step: u32, store: &mut Store) {
        store.flush();
        let world = store.id();
        // SAFETY: the store and the graph are borrowed mutably; all systems have been initialised for the store.
        let error = unsafe { self.shared.run_alone(step, Systems::of(self.graph), store) };
        self.errors.extend(error.map(|error| (step, error)));
        if store.id() != world {
            // It has put another world in the place of this one. That no condition writes is known by now.
            let _ = self.graph.initialize(store);
        }
    }

    /// Applies what those of the steps that ran have recorded.
    fn apply(&mut self, steps: &[u32], store: &mut Store) {
        for step in steps.iter().copied() {
            let ran = matches!(self.shared.outcomes.get(step), Outcome::Ran | Outcome::Failed);
            if let (true, Task::System(number)) = (ran, self.shared.plan.steps[step as usize].task) {
                self.graph.runnables[number as usize].system.apply_deferred(store);
            }
        }
    }

    /// Runs a stage. If it panics, what has been recorded by systems that have finished is applied, and the panic goes on.
    #[cfg(feature = "std")]
    fn guarded(&mut self, number: usize, store: &mut Store, stage: impl FnOnce(&mut Self, &mut Store)) {
        use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

        let Err(payload) = catch_unwind(AssertUnwindSafe(|| stage(self, store))) else { return };
        self.tell_who_panicked(number);
        let _ = catch_unwind(AssertUnwindSafe(|| self.apply_before(number, store)));
        resume_unwind(payload)
    }

    /// Without the standard library a panic cannot be caught: what has been recorded is thrown away with the next run.
    #[cfg(not(feature = "std"))]
    fn guarded(&mut self, _: usize, store: &mut Store, stage: impl FnOnce(&mut Self, &mut Store)) {
        stage(self, store);
    }

    #[cfg(feature = "std")]
    #[cold]
    fn tell_who_panicked(&self, stage: usize) {
        let is_open = |step: &u32| self.shared.outcomes.get(*step) == Outcome::Open;
        let step = match &self.shared.plan.stages[stage] {
            Stage::Shared { steps, .. } => steps.clone().find(is_open),
            Stage::Alone { step } => Some(*step),
            Stage::Apply { .. } => None,
        };
        if let Some(step) = step {
            std::eprintln!("system `{}` panicked", self.shared.name(self.graph, step));
        }
    }

    /// Applies what has been recorded and would have been applied by the next stage that does so. The stage is not one.
    #[cfg(feature = "std")]
    #[cold]
    fn apply_before(&mut self, stage: usize, store: &mut Store) {
        let rest = &self.shared.plan.stages[stage..];
        if let [Stage::Shared { .. } | Stage::Alone { .. }, ..] = rest {
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
