//! Running the steps of a plan: one by one, or several of a stage at the same time.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::config::ScheduleSystem;
use super::error::{OnError, SystemError};
#[cfg(feature = "std")]
use super::graph::SystemOrSet;
use super::graph::{Condition, Graph, Runnable, SetNode};
use super::ids::IdMarks;
use super::order::Ordering;
use super::plan::{Plan, PlanStep, Task};
use crate::cell::StoreCell;
use crate::label::InternedScheduleLabel;
use crate::store::Store;
use crate::system::{BoxError, EcsError, ParamError};
use crate::tick::Tick;
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
    /// It failed.
    Failed,
    /// A condition of it failed, so it did not run.
    ConditionFailed,
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
        const ALL: [Outcome; 8] = [
            Outcome::Open,
            Outcome::Ran,
            Outcome::Failed,
            Outcome::ConditionFailed,
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
    pub(super) id_marks: &'a IdMarks,
    pub(super) handler: ErrorHandler,
    pub(super) label: Option<InternedScheduleLabel>,
    pub(super) span: RunSpan,
}

/// The systems and conditions of a graph, to be run by several threads, each by one at a time.
#[derive(Clone, Copy)]
pub(super) struct Systems<'a> {
    runnables: *mut Runnable,
    conditions: *mut Condition,
    sets: *mut SetNode,
    /// For names.
    graph: core::marker::PhantomData<&'a mut Graph>,
}

// SAFETY: systems and conditions are `Send` (see `ARE_SEND`), and the caller that runs a step promises that no other code uses
// those of the step.
unsafe impl Send for Systems<'_> {}
// SAFETY: as above.
unsafe impl Sync for Systems<'_> {}

/// Compiles only if they are.
const ARE_SEND: () = {
    const fn are_send<T: Send, U: Send>() {}
    are_send::<Runnable, SetNode>();
};

impl<'a> Systems<'a> {
    pub(super) fn of(graph: &'a mut Graph) -> Self {
        let () = ARE_SEND;
        let (runnables, sets) = (graph.runnables.as_mut_ptr(), graph.sets.as_mut_ptr());
        Self { runnables, conditions: graph.conditions.as_mut_ptr(), sets, graph: core::marker::PhantomData }
    }

    /// The own conditions of a step.
    ///
    /// # Safety
    ///
    /// - The step is one of a plan of the graph.
    /// - No other code uses these conditions for as long as they are borrowed.
    #[inline]
    unsafe fn conditions(&self, step: &PlanStep) -> &'a mut [Condition] {
        let Range { start, end } = step.conditions;
        // SAFETY: the graph is borrowed mutably for `'a`, and a plan of it has ranges of its conditions only; each belongs to
        // one system.
        unsafe { core::slice::from_raw_parts_mut(self.conditions.add(start as usize), (end - start) as usize) }
    }

    /// The system of a step.
    ///
    /// # Safety
    ///
    /// - The number is that of a system of the graph.
    /// - No other code uses the system for as long as it is borrowed.
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
    /// - No other code uses the set for as long as it is borrowed.
    unsafe fn set(&self, number: u32) -> &'a mut SetNode {
        // SAFETY: as above.
        unsafe { &mut *self.sets.add(number as usize) }
    }
}

/// What comes of asking whether a step runs.
enum Verdict<'w> {
    /// It runs, in this cell.
    Run(StoreCell<'w>),
    /// It does not, and an error is to be reported if there is one.
    Done(Option<Box<SystemError>>),
}

/// A condition that cannot be asked: an error, unless a parameter says that there is nothing to do.
#[cold]
#[inline(never)]
fn fails(condition: &Condition, error: ParamError) -> Result<bool, Box<(String, ParamError)>> {
    if error.is_skip() { Ok(false) } else { Err(Box::new((condition.system.name().to_string(), error))) }
}

/// The first condition that does not hold, if there is one. All are asked, whatever the others say, so that each sees every
/// run. What they do bears the tick of the cell, which goes on.
///
/// # Safety
///
/// - As for [`Shared::run_step`], of the conditions.
#[inline]
unsafe fn hold(
    conditions: &mut [Condition],
    cell: &mut StoreCell<'_>,
) -> Result<Option<usize>, Box<(String, ParamError)>> {
    let mut unmet = None;
    for (number, condition) in conditions.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        let holds = match unsafe { condition.system.run_shared((), cell) } {
            Ok(holds) => holds,
            Err(error) => fails(condition, error)?,
        };
        if !holds {
            unmet.get_or_insert(number);
        }
        cell.advance(condition.ticks);
    }
    Ok(unmet)
}

impl Shared<'_> {
    /// Runs a step of a stage that has begun at a tick. What it writes bears the tick of the step, and some after it.
    ///
    /// # Safety
    ///
    /// - Nothing that the step borrows is borrowed otherwise, nor does any other code use its systems and conditions.
    /// - All systems and conditions have been initialised for the cell's store; the step is no system that needs the world for
    ///   itself.
    /// - The systems are those of the graph that the plan was made of.
    #[cfg(feature = "parallel")]
    #[inline]
    pub(super) unsafe fn run_step(
        &self,
        at: u32,
        systems: Systems<'_>,
        cell: &mut StoreCell<'_>,
        first: Tick,
    ) -> Option<Box<SystemError>> {
        // SAFETY: the caller's promise.
        unsafe { self.run(at, &self.plan.steps[at as usize], &self.outcomes.0[at as usize], systems, cell, first) }
    }

    /// Runs steps that follow each other.
    ///
    /// # Safety
    ///
    /// - As for [`Shared::run_step`], of each step; they may borrow what others of them borrow.
    // A function of its own keeps what the loop needs in registers.
    #[inline(never)]
    pub(super) unsafe fn run_steps(
        &self,
        steps: Range<u32>,
        systems: Systems<'_>,
        mut cell: StoreCell<'_>,
        first: Tick,
        errors: &mut Vec<(u32, Box<SystemError>)>,
    ) {
        let range = steps.start as usize..steps.end as usize;
        let (of_plan, outcomes) = (&self.plan.steps[range.clone()], &self.outcomes.0[range]);
        for (at, (step, outcome)) in steps.zip(of_plan.iter().zip(outcomes)) {
            // SAFETY: the caller's promise.
            if let Some(error) = unsafe { self.run(at, step, outcome, systems, &mut cell, first) } {
                errors.push((at, error));
            }
        }
    }

    /// # Safety
    ///
    /// - As for [`Shared::run_step`]; `step` and `outcome` are those of `at`.
    #[inline(always)]
    unsafe fn run(
        &self,
        at: u32,
        step: &PlanStep,
        outcome: &AtomicU8,
        systems: Systems<'_>,
        cell: &mut StoreCell<'_>,
        first: Tick,
    ) -> Option<Box<SystemError>> {
        cell.set_tick(first.later(step.tick));
        self.set_stream(step, cell);
        if !(step.is_free && outcome.load(Relaxed) == Outcome::Open as u8) {
            // SAFETY: the caller's promise.
            return unsafe { self.run_gated(at, systems, *cell) };
        }
        if !step.conditions.is_empty() {
            // SAFETY: the caller's promise.
            match unsafe { hold(systems.conditions(step), cell) } {
                Ok(None) => {}
                Ok(Some(unmet)) => {
                    self.outcomes.set_unmet(at, unmet);
                    return None;
                }
                Err(error) => return self.fail_asking(at, *error),
            }
        }
        let Task::System(number) = step.task else { return None };
        // SAFETY: the caller's promise.
        let runnable = unsafe { systems.system(number) };
        let _span = self.enter(&runnable.system);
        // SAFETY: as above.
        let done = unsafe { runnable.system.run_shared((), cell) };
        if !matches!(done, Ok(Ok(()))) {
            return self.finish(at, &runnable.system, done);
        }
        // There is nothing to be dropped, and the compiler would look for it.
        core::mem::forget(done);
        outcome.store(Outcome::Ran as u8, Relaxed);
        None
    }

    /// # Safety
    ///
    /// - As for [`Shared::run_step`].
    #[inline(never)]
    unsafe fn run_gated(&self, at: u32, systems: Systems<'_>, cell: StoreCell<'_>) -> Option<Box<SystemError>> {
        // SAFETY: the caller's promise.
        let cell = match unsafe { self.ask(at, systems, cell) } {
            Verdict::Run(cell) => cell,
            Verdict::Done(error) => return error,
        };
        let cell = &cell;
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
    /// - The systems are those of the graph that the plan was made of, all initialised for the store, and no other code uses
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
        // SAFETY: as above.
        let conditions = unsafe { systems.conditions(&self.plan.steps[at as usize]) };
        let ticks = conditions.iter().map(|condition| condition.ticks).sum();
        let first = store.begin_runs(ticks);
        let mut cell = StoreCell::exclusive(store);
        cell.set_tick(first);
        // SAFETY: no other code uses the store or the systems.
        if let Verdict::Done(error) = unsafe { self.ask(at, systems, cell) } {
            return error;
        }
        let _span = self.enter(&runnable.system);
        let done = runnable.system.run_alone((), store);
        self.finish(at, &runnable.system, done)
    }

    /// The cell in which a step runs, if it does; otherwise an error that is to be reported, if there is one.
    ///
    /// # Safety
    ///
    /// - As for [`Shared::run_step`], of the conditions.
    pub(super) unsafe fn asked<'w>(
        &self,
        at: u32,
        systems: Systems<'_>,
        cell: StoreCell<'w>,
    ) -> Result<StoreCell<'w>, Option<Box<SystemError>>> {
        // SAFETY: the caller's promise.
        match unsafe { self.ask(at, systems, cell) } {
            Verdict::Run(cell) => Ok(cell),
            Verdict::Done(error) => Err(error),
        }
    }

    /// Asks whether a step runs: whether the conditions of the sets around it held, and its own do.
    ///
    /// # Safety
    ///
    /// - As for [`Shared::run_step`], of the conditions.
    unsafe fn ask<'w>(&self, at: u32, systems: Systems<'_>, mut cell: StoreCell<'w>) -> Verdict<'w> {
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
            Task::System(_) => unsafe { systems.conditions(step) },
            // SAFETY: the caller's promise.
            Task::Ask(set) => unsafe { &mut systems.set(set).conditions },
        };
        // SAFETY: the caller's promise.
        match unsafe { hold(conditions, &mut cell) } {
            Ok(None) => Verdict::Run(cell),
            Ok(Some(unmet)) => {
                self.outcomes.set_unmet(at, unmet);
                Verdict::Done(None)
            }
            Err(error) => Verdict::Done(self.fail_asking(at, *error)),
        }
    }

    /// Has the cell reserve ids where a step that begins does.
    #[inline(always)]
    pub(super) fn set_stream(&self, step: &PlanStep, cell: &mut StoreCell<'_>) {
        cell.set_stream(step.stream);
        if step.stream.is_some() {
            self.id_marks.begin(step.recorder, cell);
        }
    }

    /// Begins the span of a system, if there are spans.
    #[inline(always)]
    pub(super) fn enter(&self, system: &ScheduleSystem) -> Entered {
        self.span.system(self.label, || system.name())
    }

    /// Notes how a system did.
    #[cold]
    pub(super) fn finish(
        &self,
        at: u32,
        system: &ScheduleSystem,
        done: Result<Result<(), EcsError>, ParamError>,
    ) -> Option<Box<SystemError>> {
        let error = match done {
            Ok(Ok(())) => {
                self.outcomes.set(at, Outcome::Ran);
                return None;
            }
            Ok(Err(error)) => error.into_box(),
            Err(error) if error.is_skip() => {
                self.outcomes.set(at, Outcome::Param);
                return None;
            }
            Err(error) => error.into(),
        };
        self.fail(at, Outcome::Failed, system.name().to_string(), error)
    }

    #[cold]
    fn fail_asking(&self, at: u32, (name, error): (String, ParamError)) -> Option<Box<SystemError>> {
        self.fail(at, Outcome::ConditionFailed, name, error.into())
    }

    /// Notes that a step has failed; what is ordered after it does not run, unless the handler says otherwise.
    fn fail(&self, at: u32, outcome: Outcome, system: String, error: BoxError) -> Option<Box<SystemError>> {
        let mut error = Box::new(SystemError { system, schedule: self.label, error, stops: true });
        // The step is open until then, so that it is the one that has panicked if the handler does.
        let goes_on = (self.handler)(&error) == OnError::Continue;
        self.outcomes.set(at, outcome);
        if goes_on {
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
    #[cfg(feature = "std")]
    pub(super) fn name(&self, graph: &Graph, at: u32) -> String {
        graph.name(match self.plan.steps[at as usize].task {
            Task::System(number) => SystemOrSet::System(number),
            Task::Ask(set) => SystemOrSet::Set(set),
        })
    }
}
