//! Running the steps of a plan: one by one, or several of a stage at the same time.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::config::ScheduleSystem;
use super::error::{OnError, SystemError};
use super::graph::{Graph, Member, Runnable, SetNode};
use super::order::Ordering;
use super::plan::{Plan, Task};
use crate::cell::Cell;
use crate::label::InternedScheduleLabel;
use crate::store::Store;
use crate::system::{BoxError, BoxedSystem, ParamError};
use crate::trace::{Entered, RunSpan};

/// What is to be done when a system has failed.
pub(super) type ErrorHandler = fn(&SystemError) -> OnError;

/// How a step went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Outcome {
    /// It has not had its turn.
    Open,
    /// It ran; of conditions: they hold.
    Ran,
    /// It failed; or a condition of it did.
    Failed,
    /// The conditions of a set around it do not hold.
    Set,
    /// A parameter says that there is nothing to do.
    Param,
    /// Something that it is ordered after has failed.
    Blocked,
    /// A condition of its own does not hold; of conditions: they do not. [`Outcomes::unmet`] says which one.
    Condition,
}

impl Outcome {
    fn of(number: u8) -> Self {
        const ALL: [Outcome; 7] = [
            Outcome::Open,
            Outcome::Ran,
            Outcome::Failed,
            Outcome::Set,
            Outcome::Param,
            Outcome::Blocked,
            Outcome::Condition,
        ];
        // Greater ones say which condition it was.
        ALL[(number as usize).min(Outcome::Condition as usize)]
    }
}

/// How each step of a run went.
#[derive(Default)]
pub(super) struct Outcomes(Vec<AtomicU8>);

impl Outcomes {
    /// Before a run of so many steps.
    pub(super) fn reset(&mut self, steps: usize) {
        self.0.resize_with(steps, AtomicU8::default);
        self.0.iter_mut().for_each(|outcome| *outcome.get_mut() = Outcome::Open as u8);
    }

    #[inline]
    pub(super) fn get(&self, step: u32) -> Outcome {
        Outcome::of(self.0[step as usize].load(Relaxed))
    }

    #[inline]
    fn set(&self, step: u32, outcome: Outcome) {
        self.0[step as usize].store(outcome as u8, Relaxed);
    }

    /// Notes that a condition did not hold.
    fn set_unmet(&self, step: u32, condition: usize) {
        let number = condition.min(usize::from(u8::MAX - Outcome::Condition as u8)) as u8;
        self.0[step as usize].store(Outcome::Condition as u8 + number, Relaxed);
    }

    /// Which condition of a step was the first that did not hold.
    pub(super) fn unmet(&self, step: u32) -> Option<usize> {
        self.0[step as usize].load(Relaxed).checked_sub(Outcome::Condition as u8).map(usize::from)
    }

    /// Whether there was a run, and it had so many steps.
    pub(super) fn are_of(&self, steps: usize) -> bool {
        self.0.len() == steps
    }

    #[inline]
    fn is_open(&self, step: u32) -> bool {
        self.0[step as usize].load(Relaxed) == Outcome::Open as u8
    }
}

/// What the steps of a run have in common.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) plan: &'a Plan,
    pub(super) order: &'a Ordering,
    pub(super) outcomes: &'a Outcomes,
    pub(super) handler: ErrorHandler,
    pub(super) label: Option<InternedScheduleLabel>,
    pub(super) span: RunSpan,
}

/// The systems and conditions of a graph, to be run by several threads, each by one at a time.
#[derive(Clone, Copy)]
pub(super) struct Systems<'a> {
    runnables: *mut Runnable,
    sets: *mut SetNode,
    /// For names.
    graph: core::marker::PhantomData<&'a mut Graph>,
}

// SAFETY: systems and conditions are `Send`, and whoever runs a step promises that it alone uses those of the step.
unsafe impl Send for Systems<'_> {}
// SAFETY: as above.
unsafe impl Sync for Systems<'_> {}

impl<'a> Systems<'a> {
    pub(super) fn of(graph: &'a mut Graph) -> Self {
        let (runnables, sets) = (graph.runnables.as_mut_ptr(), graph.sets.as_mut_ptr());
        Self { runnables, sets, graph: core::marker::PhantomData }
    }

    /// The system of a step, with its conditions.
    ///
    /// # Safety
    ///
    /// - The number is that of a system of the graph.
    /// - Nobody else uses the system for as long as it is borrowed.
    #[inline]
    pub(super) unsafe fn system(&self, number: u32) -> &'a mut Runnable {
        // SAFETY: the graph is borrowed mutably for `'a` and has so many systems, of which the caller alone uses this one.
        unsafe { &mut *self.runnables.add(number as usize) }
    }

    /// The conditions of a set.
    ///
    /// # Safety
    ///
    /// - The number is that of a set of the graph.
    /// - Nobody else uses the set for as long as it is borrowed.
    unsafe fn set(&self, number: u32) -> &'a mut SetNode {
        // SAFETY: as above.
        unsafe { &mut *self.sets.add(number as usize) }
    }
}

/// What comes of asking whether a step runs.
enum Verdict<'w> {
    /// It runs, in this cell.
    Run(Cell<'w>),
    /// It does not, and an error is to be reported if there is one.
    Done(Option<Box<SystemError>>),
}

/// Whether all conditions hold. All are asked, whatever the others say, so that each sees every run. What they record bears
/// the tick of the cell, which goes on.
///
/// # Safety
///
/// - As for [`Shared::run_step`], of the conditions.
unsafe fn ask_all(
    conditions: &mut [BoxedSystem<(), bool>],
    cell: &mut Cell<'_>,
) -> Result<Option<usize>, (String, ParamError)> {
    let mut unmet = None;
    for (number, condition) in conditions.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        let holds = match unsafe { condition.run_shared((), *cell) } {
            Err(error) if error.is_skip() => false,
            done => done.map_err(|error| (condition.name().to_string(), error))?,
        };
        if !holds {
            unmet.get_or_insert(number);
        }
        *cell = cell.later(condition.ticks());
    }
    Ok(unmet)
}

impl Shared<'_> {
    /// Runs a step. What it writes bears the tick of the cell, and some after it.
    ///
    /// # Safety
    ///
    /// - Nothing that the step borrows is borrowed otherwise, nor does anybody else use its systems and conditions.
    /// - All systems and conditions have been initialised for the cell's store; the step is no system that needs the world for
    ///   itself.
    /// - The systems are those of the graph that the plan was made of.
    #[inline]
    pub(super) unsafe fn run_step(&self, at: u32, systems: Systems<'_>, cell: Cell<'_>) -> Option<Box<SystemError>> {
        let step = &self.plan.steps[at as usize];
        if let (true, Task::System(number)) = (step.is_plain && self.outcomes.is_open(at), step.task) {
            // SAFETY: the caller's promise.
            let runnable = unsafe { systems.system(number) };
            let _span = self.enter(&runnable.system);
            // SAFETY: as above.
            let done = unsafe { runnable.system.run_shared((), cell) };
            if let Ok(Ok(())) = done {
                self.outcomes.set(at, Outcome::Ran);
                return None;
            }
            return self.finish(at, &runnable.system, done);
        }
        // SAFETY: the caller's promise.
        unsafe { self.run_conditional(at, systems, cell) }
    }

    /// # Safety
    ///
    /// - As for [`Shared::run_step`].
    #[inline(never)]
    unsafe fn run_conditional(&self, at: u32, systems: Systems<'_>, cell: Cell<'_>) -> Option<Box<SystemError>> {
        // SAFETY: the caller's promise.
        let cell = match unsafe { self.ask(at, systems, cell) } {
            Verdict::Run(cell) => cell,
            Verdict::Done(error) => return error,
        };
        let Task::System(number) = self.plan.steps[at as usize].task else {
            self.outcomes.set(at, Outcome::Ran);
            return None;
        };
        // SAFETY: as above.
        let runnable = unsafe { systems.system(number) };
        let _span = self.enter(&runnable.system);
        // SAFETY: as above.
        let done = unsafe { runnable.system.run_shared((), cell) };
        self.finish(at, &runnable.system, done)
    }

    /// Runs a step whose system needs the world for itself.
    ///
    /// # Safety
    ///
    /// - The systems are those of the graph that the plan was made of, all initialised for the store, and nobody else uses
    ///   them.
    pub(super) unsafe fn run_alone(
        &self,
        at: u32,
        systems: Systems<'_>,
        store: &mut Store,
    ) -> Option<Box<SystemError>> {
        let Task::System(number) = self.plan.steps[at as usize].task else { return None };
        // SAFETY: the caller's promise.
        let runnable = unsafe { systems.system(number) };
        let ticks = runnable.conditions.iter().map(|condition| condition.ticks()).sum();
        let first = store.begin_runs(ticks);
        // SAFETY: nobody else uses the store or the systems.
        if let Verdict::Done(error) = unsafe { self.ask(at, systems, Cell::exclusive(store).at(first)) } {
            return error;
        }
        let _span = self.enter(&runnable.system);
        let done = runnable.system.run_alone((), store);
        self.finish(at, &runnable.system, done)
    }

    /// Asks whether a step runs: whether the conditions of the sets around it held, and its own do.
    ///
    /// # Safety
    ///
    /// - As for [`Shared::run_step`], of the conditions.
    unsafe fn ask<'w>(&self, at: u32, systems: Systems<'_>, mut cell: Cell<'w>) -> Verdict<'w> {
        if !self.outcomes.is_open(at) {
            return Verdict::Done(None);
        }
        let step = &self.plan.steps[at as usize];
        let gates = &self.plan.gates[step.gates.start as usize..step.gates.end as usize];
        if gates.iter().any(|gate| self.outcomes.get(*gate) != Outcome::Ran) {
            self.outcomes.set(at, Outcome::Set);
            return Verdict::Done(None);
        }
        let conditions = match step.task {
            // SAFETY: the caller's promise.
            Task::System(number) => unsafe { &mut systems.system(number).conditions },
            // SAFETY: the caller's promise.
            Task::Ask(set) => unsafe { &mut systems.set(set).conditions },
        };
        // SAFETY: the caller's promise.
        match unsafe { ask_all(conditions, &mut cell) } {
            Ok(None) => Verdict::Run(cell),
            Ok(Some(unmet)) => {
                self.outcomes.set_unmet(at, unmet);
                Verdict::Done(None)
            }
            Err((name, error)) => Verdict::Done(self.fail(at, name, error.into())),
        }
    }

    /// Begins the span of a system, if there are spans.
    #[inline(always)]
    fn enter(&self, system: &ScheduleSystem) -> Entered {
        self.span.system(self.label, || system.name())
    }

    /// Notes how a system did.
    #[cold]
    fn finish(
        &self,
        at: u32,
        system: &ScheduleSystem,
        done: Result<Result<(), BoxError>, ParamError>,
    ) -> Option<Box<SystemError>> {
        let error = match done {
            Ok(Ok(())) => {
                self.outcomes.set(at, Outcome::Ran);
                return None;
            }
            Ok(Err(error)) => error,
            Err(error) if error.is_skip() => {
                self.outcomes.set(at, Outcome::Param);
                return None;
            }
            Err(error) => error.into(),
        };
        self.fail(at, system.name().to_string(), error)
    }

    /// Notes that a step has failed; what is ordered after it does not run, unless the handler says otherwise.
    fn fail(&self, at: u32, system: String, error: BoxError) -> Option<Box<SystemError>> {
        self.outcomes.set(at, Outcome::Failed);
        let mut error = Box::new(SystemError { system, schedule: self.label, error, stops: true });
        if (self.handler)(&error) == OnError::Continue {
            error.stops = false;
            return Some(error);
        }
        match self.plan.steps[at as usize].task {
            Task::System(number) => self.block_after(number),
            Task::Ask(_) => {
                for (other, step) in self.plan.steps.iter().enumerate() {
                    let gates = &self.plan.gates[step.gates.start as usize..step.gates.end as usize];
                    if gates.contains(&at) {
                        self.outcomes.set(other as u32, Outcome::Blocked);
                        if let Task::System(number) = step.task {
                            self.block_after(number);
                        }
                    }
                }
            }
        }
        Some(error)
    }

    fn block_after(&self, system: u32) {
        for later in self.order.after(system) {
            self.outcomes.set(self.plan.step_of[later as usize], Outcome::Blocked);
        }
    }

    /// The name of what a step runs.
    pub(super) fn name(&self, graph: &Graph, at: u32) -> String {
        graph.name(match self.plan.steps[at as usize].task {
            Task::System(number) => Member::System(number),
            Task::Ask(set) => Member::Set(set),
        })
    }
}
