//! Running the steps of a stage on several threads.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::Range;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use super::costs::{Costs, StepTimer, Unmeasured};
use super::error::SystemError;
use super::fused::{Fused, Panicked};
use super::pipelines::Pipeline;
use super::ready_queue::ReadyQueue;
use super::steps::{PipelineAccess, RunContext, StepAccess, Systems, Turn};
use super::units::Units;
use crate::cell::StoreCell;
use crate::guard::drop_quietly;
use crate::pool::Pool;
use crate::tick::Tick;

/// A stage that is run by several threads.
pub(super) struct ParallelStage<'a> {
    pub(super) shared: RunContext<'a>,
    pub(super) systems: Systems<'a>,
    pub(super) units: &'a Units,
    pub(super) steps: Range<u32>,
    /// Where to note what steps cost, if that is to be measured.
    pub(super) costs: Option<&'a Costs>,
    /// Those of the stage. The steps of one that is used are in one unit, one behind the other.
    pub(super) pipelines: &'a [Pipeline],
}

/// What came of it.
#[derive(Default)]
pub(super) struct Done {
    pub(super) errors: Vec<(u32, Box<SystemError>)>,
    /// Which step panicked, and with what. Of several, the first in the order of the schedule.
    pub(super) panic: Option<(u32, Box<dyn Any + Send>)>,
}

impl<'a> ParallelStage<'a> {
    /// Runs all units, on the calling thread and on those of the pool, of a stage that has begun at a tick.
    ///
    /// # Safety
    ///
    /// - As for [`StepAccess::new`], of all steps of the stage but for what they borrow from each other; for that, the units
    ///   have been made of a [`Precedence`](super::units::Precedence) of the stage in this world.
    pub(super) unsafe fn run(&self, pool: &Pool, cell: StoreCell<'_>, first: Tick) -> Done {
        let ready_queue = ReadyQueue::new(self.units.waiting.clone(), &self.units.successors, &self.units.owners);
        let done = Mutex::new(Done::default());
        pool.share(|member| {
            while let Some(turn) = ready_queue.take(member.is_owner()) {
                if turn.more > 0 {
                    member.call_helpers(turn.more);
                }
                let at = Cell::new(self.steps.start);
                let unit = AssertUnwindSafe(|| {
                    let Range { start, end } = self.units.steps[turn.unit as usize];
                    let mut steps = self.steps.start + start..self.steps.start + end;
                    // SAFETY: each unit is taken once, and when all those before it have finished: all that borrow
                    // what one of its steps borrows, if one of the two writes. The rest is the caller's promise.
                    let mut access = unsafe { StepAccess::new(self.shared.plan, self.systems, steps.clone(), cell) };
                    while let Some(step) = steps.next() {
                        at.set(step);
                        if let Some(pipeline) = self.pipeline(step) {
                            // SAFETY: the steps of a pipeline are in one unit, as for the access to the unit; no other step of it has
                            // its turn meanwhile. The pipeline is one of the plan, and valid in this world.
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

    /// The pipeline that begins with a step, if one does and is used.
    fn pipeline(&self, step: u32) -> Option<&Pipeline> {
        self.pipelines.iter().find(|pipeline| pipeline.is_used && pipeline.steps.start == step)
    }

    /// Runs a pipeline. If it panics, `at` is the step that did.
    fn fused(
        &self,
        pipeline: &Pipeline,
        at: &Cell<u32>,
        steps: PipelineAccess<'_, '_>,
        first: Tick,
        done: &Mutex<Done>,
    ) {
        let Self { shared, costs, .. } = *self;
        let (panicked, mut errors) = (Panicked::none(), Vec::new());
        let fused = Fused { shared, pipeline, first, costs, panicked: &panicked };
        let run = AssertUnwindSafe(|| fused.run(steps, &mut errors));
        if let Err(payload) = catch_unwind(run) {
            at.set(panicked.step().unwrap_or(pipeline.steps.start));
            resume_unwind(payload);
        }
        lock(done).errors.append(&mut errors);
    }

    fn step(&self, turn: Turn<'_, 'a, '_>, at: u32, first: Tick) -> Option<Box<SystemError>> {
        let outcome = self.shared.outcomes.cell(at);
        match self.costs {
            Some(costs) => self.shared.run_step(turn, outcome, first, &mut StepTimer::start(costs)),
            None => self.shared.run_step(turn, outcome, first, &mut Unmeasured),
        }
    }
}

fn lock(done: &Mutex<Done>) -> std::sync::MutexGuard<'_, Done> {
    done.lock().unwrap_or_else(PoisonError::into_inner)
}
