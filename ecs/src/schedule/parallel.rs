//! Running the steps of a stage on several threads.
//!
//! Tests: tests/schedules/schedule/threads.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::Range;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use super::costs::{Costs, StepTimer, Unmeasured};
use super::error::SystemError;
use super::fused::{PanickedStep, PipelineRun};
use super::pipelines::Pipeline;
use super::ready_queue::ReadyQueue;
use super::steps::{PipelineAccess, RunContext, SharedSystems, StepAccess, StepTurn};
use super::units::StageUnits;
use crate::storage::tick::Tick;
use crate::structure::cell::StoreCell;
use crate::util::guard::drop_quietly;
use crate::util::pool::Pool;

/// The run of a stage on several threads.
pub(super) struct ParallelStage<'a> {
    pub(super) shared: RunContext<'a>,
    pub(super) systems: SharedSystems<'a>,
    pub(super) units: &'a StageUnits,
    pub(super) steps: Range<u32>,
    /// Where to record the costs of the steps, if they are measured.
    pub(super) costs: Option<&'a Costs>,
    /// The pipelines of the stage. The steps of a used pipeline are consecutive steps of one unit.
    pub(super) pipelines: &'a [Pipeline],
}

/// The result of running the units.
#[derive(Default)]
pub(super) struct StageResult {
    pub(super) errors: Vec<(u32, Box<SystemError>)>,
    /// The step that panicked, with its payload. If several steps panicked, the first one in the order of the schedule.
    pub(super) panic: Option<(u32, Box<dyn Any + Send>)>,
}

impl<'a> ParallelStage<'a> {
    /// Runs all units of a stage that has begun at tick `first`, on the calling thread and on the threads of the pool.
    ///
    /// # Safety
    ///
    /// - The conditions of [`StepAccess::new`] for all steps of the stage, with one exception: a step may access data
    ///   that other steps of the stage access. Instead, the units must have been made from a
    ///   [`Precedence`](super::units::Precedence) of the stage in this world.
    pub(super) unsafe fn run(&self, pool: &Pool, cell: StoreCell<'_>, first: Tick) -> StageResult {
        let ready_queue = ReadyQueue::new(self.units.waiting.clone(), &self.units.successors, &self.units.owners);
        let done = Mutex::new(StageResult::default());
        pool.share(|member| {
            while let Some(turn) = ready_queue.take(member.is_owner()) {
                if turn.more > 0 {
                    member.call_helpers(turn.more);
                }
                let at = Cell::new(self.steps.start);
                let unit = AssertUnwindSafe(|| {
                    let Range { start, end } = self.units.steps[turn.unit as usize];
                    let mut steps = self.steps.start + start..self.steps.start + end;
                    // SAFETY: each unit is taken once, after all units before it have finished, which include all that
                    // access what one of its steps accesses, if either of the two writes. The caller guarantees the
                    // rest: the systems are initialized for the store, none is exclusive, and they belong to the graph
                    // of the plan.
                    let mut access = unsafe { StepAccess::new(self.shared.plan, self.systems, steps.clone(), cell) };
                    while let Some(step) = steps.next() {
                        at.set(step);
                        if let Some(pipeline) = self.pipeline(step) {
                            // SAFETY: the steps of a pipeline are in one unit, so the conditions of the access to the
                            // unit hold for them, and no other step of the unit has its turn while the pipeline runs.
                            // The pipeline belongs to the plan and is valid in this world.
                            let access = unsafe {
                                PipelineAccess::new(self.shared.plan, self.systems, pipeline.steps.clone(), cell)
                            };
                            self.fused(pipeline, &at, access, first, &done);
                            steps.nth(pipeline.steps.len() - 2);
                            continue;
                        }
                        if let Some(error) = self.step(access.turn(step), step, first) {
                            lock(&done).errors.push((at.get(), error));
                        }
                    }
                });
                match catch_unwind(unit) {
                    Ok(()) => ready_queue.finish(turn.unit),
                    Err(payload) => {
                        let mut other = Some((at.get(), payload));
                        let mut done = lock(&done);
                        if done.panic.as_ref().is_none_or(|(first, _)| at.get() < *first) {
                            core::mem::swap(&mut done.panic, &mut other);
                        }
                        drop(done);
                        ready_queue.stop();
                        drop_quietly(other);
                    }
                }
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the used pipeline that begins with a step, if there is one.
    fn pipeline(&self, step: u32) -> Option<&Pipeline> {
        self.pipelines.iter().find(|pipeline| pipeline.is_used && pipeline.steps.start == step)
    }

    /// Runs a pipeline. If it panics, sets `at` to the step that panicked.
    fn fused(
        &self,
        pipeline: &Pipeline,
        at: &Cell<u32>,
        steps: PipelineAccess<'_, '_>,
        first: Tick,
        done: &Mutex<StageResult>,
    ) {
        let Self { shared, costs, .. } = *self;
        let (panicked, mut errors) = (PanickedStep::none(), Vec::new());
        let fused = PipelineRun { shared, pipeline, first, costs, panicked: &panicked };
        let run = AssertUnwindSafe(|| fused.run(steps, &mut errors));
        if let Err(payload) = catch_unwind(run) {
            at.set(panicked.step().unwrap_or(pipeline.steps.start));
            resume_unwind(payload);
        }
        lock(done).errors.append(&mut errors);
    }

    fn step(&self, turn: StepTurn<'_, 'a, '_>, at: u32, first: Tick) -> Option<Box<SystemError>> {
        let outcome = self.shared.outcomes.cell(at);
        match self.costs {
            Some(costs) => self.shared.run_step(turn, outcome, first, &mut StepTimer::start(costs)),
            None => self.shared.run_step(turn, outcome, first, &mut Unmeasured),
        }
    }
}

fn lock(done: &Mutex<StageResult>) -> std::sync::MutexGuard<'_, StageResult> {
    done.lock().unwrap_or_else(PoisonError::into_inner)
}
