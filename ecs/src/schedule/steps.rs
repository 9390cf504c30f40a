//! Running the steps of a plan: one by one, or several of a stage at the same time.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::config::ScheduleSystem;
use super::costs::Measure;
use super::error::{ConditionOwner, OnError, SystemError, by_severity};
#[cfg(feature = "std")]
use super::graph::SystemOrSet;
use super::graph::{Condition, Graph, Runnable, SetNode};
use super::ids::IdMarks;
use super::order::Ordering;
use super::plan::{Plan, PlanStep, Task};
use crate::cell::StoreCell;
use crate::error::{BoxError, EcsError, ErrorHandler};
use crate::label::InternedScheduleLabel;
use crate::store::Store;
use crate::system::{BlockScope, Blocks, ParamError, RowScope, RunScope, SharedScope};
use crate::tick::Tick;
use crate::trace::{Entered, RunSpan};

/// What is to be done when a system has failed.
pub(super) type ScheduleErrorHandler = fn(&SystemError) -> OnError;

/// The error handlers of a run. That of the schedule takes precedence.
#[derive(Clone, Copy)]
pub(super) struct ErrorHandlers {
    pub(super) of_schedule: Option<ScheduleErrorHandler>,
    pub(super) of_world: Option<ErrorHandler>,
}

impl ErrorHandlers {
    fn handle(self, error: &mut SystemError) -> OnError {
        match (self.of_schedule, self.of_world) {
            (Some(handler), _) => handler(error),
            (None, Some(handler)) => {
                error.hand_over(handler);
                OnError::Continue
            }
            (None, None) => by_severity(error),
        }
    }
}

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
        use Outcome::{Blocked, Condition, ConditionFailed, Failed, Open, Param, Ran, Set};
        const ALL: [Outcome; 8] = [Open, Ran, Failed, ConditionFailed, Set, Param, Blocked, Condition];
        // Greater ones say which condition it was.
        ALL[(number as usize).min(Condition as usize)]
    }
}

/// Up to how many steps are gone through one by one before a run.
const FEW_STEPS: usize = 16;

/// How each step of a run went.
#[derive(Default)]
pub(super) struct Outcomes(Vec<AtomicU8>);

impl Outcomes {
    /// Before a run of so many steps.
    #[inline]
    pub(super) fn reset(&mut self, steps: usize) {
        if self.0.len() != steps {
            self.0.resize_with(steps, AtomicU8::default);
        }
        // A call of a function that fills memory takes longer than to fill a little.
        if steps <= FEW_STEPS {
            self.0.iter().for_each(|outcome| outcome.store(Outcome::Open as u8, Relaxed));
        } else {
            self.0.iter_mut().for_each(|outcome| *outcome.get_mut() = Outcome::Open as u8);
        }
    }

    #[inline]
    pub(super) fn get(&self, step: u32) -> Outcome {
        Outcome::of(self.0[step as usize].load(Relaxed))
    }

    /// The outcome of a step, which one thread runs.
    #[cfg(feature = "parallel")]
    pub(super) fn cell(&self, step: u32) -> &AtomicU8 {
        &self.0[step as usize]
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

    /// The first of some steps that has not had its turn.
    #[cfg(feature = "std")]
    pub(super) fn first_open(&self, mut steps: Range<u32>) -> Option<u32> {
        steps.find(|step| self.is_open(*step))
    }

    #[inline]
    fn is_open(&self, step: u32) -> bool {
        self.0[step as usize].load(Relaxed) == Outcome::Open as u8
    }
}

/// What the steps of a run have in common.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'a> {
    pub(super) plan: &'a Plan,
    pub(super) order: &'a Ordering,
    pub(super) outcomes: &'a Outcomes,
    pub(super) id_marks: &'a IdMarks,
    pub(super) handlers: ErrorHandlers,
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
// SAFETY: a shared reference only copies the pointers; whoever runs a step promises that no other code uses what they point at.
unsafe impl Sync for Systems<'_> {}

/// Fails to compile if systems or conditions are not `Send`.
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
}

/// The turn of a step: the right to its system and conditions, and to what these borrow of a store. It comes from a
/// [`StepAccess`] or [`PipelineStep`].
pub(super) struct Turn<'t, 'a, 'w> {
    at: u32,
    step: &'a PlanStep,
    systems: Systems<'a>,
    /// What the step does bears its tick, which goes on.
    cell: &'t mut StoreCell<'w>,
}

/// The right to steps that follow each other in a plan, which have their turns one after the other.
pub(super) struct StepAccess<'a, 'w> {
    plan: &'a Plan,
    systems: Systems<'a>,
    steps: Range<u32>,
    cell: StoreCell<'w>,
}

#[cfg(feature = "parallel")]
impl<'a, 'w> StepAccess<'a, 'w> {
    /// # Safety
    ///
    /// - Nothing that the steps borrow is borrowed otherwise for as long as the value is used, and what is made of it, nor does any
    ///   other code use their systems and conditions. They may borrow what others of them borrow.
    /// - All systems and conditions have been initialised for the cell's store; no step is a system that needs the world for itself.
    /// - The systems are those of the graph that the plan was made of.
    #[inline]
    pub(super) unsafe fn new(plan: &'a Plan, systems: Systems<'a>, steps: Range<u32>, cell: StoreCell<'w>) -> Self {
        Self { plan, systems, steps, cell }
    }

    /// The turn of one of the steps, which is over before another one begins.
    #[inline]
    pub(super) fn turn(&mut self, at: u32) -> Turn<'_, 'a, 'w> {
        assert!(self.steps.contains(&at), "a step has its turn among others");
        Turn { at, step: &self.plan.steps[at as usize], systems: self.systems, cell: &mut self.cell }
    }
}

/// The right to the steps of a pipeline, whose turns begin one after the other, and go on until the last one is over.
pub(super) struct PipelineAccess<'a, 'w>(StepAccess<'a, 'w>);

impl<'a, 'w> PipelineAccess<'a, 'w> {
    /// # Safety
    ///
    /// - As for [`StepAccess::new`].
    /// - The steps are those of a pipeline that is valid in the world of the cell: beside rows, nothing is borrowed by two of them of
    ///   which one writes it, nor do they look at when rows were changed by another one; and no row of them has to be asked.
    pub(super) unsafe fn new(plan: &'a Plan, systems: Systems<'a>, steps: Range<u32>, cell: StoreCell<'w>) -> Self {
        Self(StepAccess { plan, systems, steps, cell })
    }

    pub(super) fn cell(&self) -> StoreCell<'w> {
        self.0.cell
    }

    /// The first step and the others, unless there is none.
    pub(super) fn split_first(self) -> Result<(PipelineStep<'a, 'w>, Self), Self> {
        let StepAccess { plan, systems, steps: Range { start, end }, cell } = self.0;
        if start == end {
            return Err(self);
        }
        let rest = Self(StepAccess { plan, systems, steps: start + 1..end, cell });
        Ok((PipelineStep { at: start, step: &plan.steps[start as usize], systems, cell }, rest))
    }
}

/// The right to one step of a pipeline.
pub(super) struct PipelineStep<'a, 'w> {
    pub(super) at: u32,
    step: &'a PlanStep,
    systems: Systems<'a>,
    cell: StoreCell<'w>,
}

impl<'t, 'a, 'w> Turn<'t, 'a, 'w> {
    /// The conditions that the step asks: those of its system, or those of a set.
    #[inline]
    fn conditions(&mut self) -> &mut [Condition] {
        match self.step.task {
            Task::System(_) => {
                let Range { start, end } = self.step.conditions;
                // SAFETY: the graph is borrowed mutably for 'a, and a plan of it has ranges of its conditions only; each belongs
                // to one system, whose turn it is.
                unsafe {
                    core::slice::from_raw_parts_mut(self.systems.conditions.add(start as usize), (end - start) as usize)
                }
            }
            // SAFETY: the graph is borrowed mutably for 'a and has this set, which one step asks, whose turn it is.
            Task::Ask(set) => unsafe { &mut (*self.systems.sets.add(set as usize)).conditions },
        }
    }

    /// What the conditions of the step belong to.
    #[cold]
    fn condition_owner(&self) -> ConditionOwner {
        match self.step.task {
            Task::System(number) => {
                // SAFETY: the plan was made of the graph, so the graph has a system with this number; it is borrowed mutably for 'a,
                // and no other code uses the system during the turn of its step.
                let runnable = unsafe { &*self.systems.runnables.add(number as usize) };
                ConditionOwner::System(runnable.system.name().to_string())
            }
            Task::Ask(set) => {
                // SAFETY: the plan was made of the graph, so the graph has a set with this number; it is borrowed mutably for 'a, and
                // one step evaluates the conditions of the set, whose turn it is.
                let label = unsafe { (*self.systems.sets.add(set as usize)).label };
                ConditionOwner::Set(label.map(|label| alloc::format!("{label:?}")))
            }
        }
    }

    /// The system, if the step is one, and where it runs.
    #[inline]
    fn into_system(self) -> Option<(&'a mut ScheduleSystem, &'t StoreCell<'w>)> {
        let Task::System(number) = self.step.task else { return None };
        // SAFETY: the graph is borrowed mutably for 'a and has this system, whose turn it is; the turn is used up.
        Some((unsafe { &mut (*self.systems.runnables.add(number as usize)).system }, self.cell))
    }

    /// The first condition that does not hold, if there is one. All are asked, whatever the others say, so that each sees every
    /// run.
    #[inline]
    fn hold(&mut self) -> Result<Option<usize>, Box<(String, ParamError)>> {
        let (mut unmet, mut cell) = (None, *self.cell);
        for (number, condition) in self.conditions().iter_mut().enumerate() {
            // SAFETY: it is the turn of the conditions, so what they borrow is not borrowed otherwise.
            let scope = RunScope::Shared(unsafe { SharedScope::new(&cell) });
            let holds = match condition.system.run_in((), scope) {
                Ok(holds) => holds,
                Err(error) => fails(condition, error)?,
            };
            if !holds {
                unmet.get_or_insert(number);
            }
            cell.advance(condition.ticks);
        }
        *self.cell = cell;
        Ok(unmet)
    }
}

/// A condition that cannot be asked: an error, unless a parameter says that there is nothing to do.
#[cold]
#[inline(never)]
fn fails(condition: &Condition, error: ParamError) -> Result<bool, Box<(String, ParamError)>> {
    if error.is_skip() { Ok(false) } else { Err(Box::new((condition.system.name().to_string(), error))) }
}

impl<'a> RunContext<'a> {
    /// Runs steps that follow each other.
    ///
    /// # Safety
    ///
    /// - As for [`StepAccess::new`].
    // A function of its own keeps what the loop needs in registers, and its arguments are not brought together in memory.
    #[inline(never)]
    pub(super) unsafe fn run_steps(
        &self,
        steps: Range<u32>,
        systems: Systems<'a>,
        mut cell: StoreCell<'_>,
        first: Tick,
        errors: &mut Vec<(u32, Box<SystemError>)>,
        measure: &mut impl Measure,
    ) {
        let range = steps.start as usize..steps.end as usize;
        let (of_plan, outcomes) = (&self.plan.steps[range.clone()], &self.outcomes.0[range]);
        for (at, (step, outcome)) in steps.zip(of_plan.iter().zip(outcomes)) {
            if let Some(error) = self.run_step(Turn { at, step, systems, cell: &mut cell }, outcome, first, measure) {
                errors.push((at, error));
            }
        }
    }

    /// Runs a step of a stage, whose first tick is given: the conditions of the step use the ticks that it has among those of the stage, and
    /// its system the ones after them. `outcome` is that of the step.
    #[inline(always)]
    pub(super) fn run_step(
        &self,
        mut turn: Turn<'_, 'a, '_>,
        outcome: &AtomicU8,
        first: Tick,
        measure: &mut impl Measure,
    ) -> Option<Box<SystemError>> {
        let at = turn.at;
        self.begin(turn.step, turn.cell, first);
        let error = match self.should_run(&mut turn, outcome) {
            Ok(()) => match turn.into_system() {
                Some((system, cell)) => {
                    let _span = self.enter(system);
                    // SAFETY: it is the turn of the system, so what it borrows is not borrowed otherwise.
                    let done = system.run_in((), RunScope::Shared(unsafe { SharedScope::new(cell) }));
                    if matches!(done, Ok(Ok(()))) {
                        // There is nothing to be dropped, and the compiler would look for it.
                        core::mem::forget(done);
                        outcome.store(Outcome::Ran as u8, Relaxed);
                        None
                    } else {
                        self.finish(at, system, done)
                    }
                }
                None => {
                    outcome.store(Outcome::Ran as u8, Relaxed);
                    None
                }
            },
            Err(error) => error,
        };
        measure.end_step(at);
        error
    }

    /// Runs a step whose system needs the world for itself. Its conditions bear this tick, and some after it.
    ///
    /// # Safety
    ///
    /// - The systems are those of the graph that the plan was made of, all initialised for the store, and no other code uses
    ///   them.
    pub(super) unsafe fn run_alone(
        &self,
        at: u32,
        systems: Systems<'a>,
        store: &mut Store,
        first: Tick,
    ) -> Option<Box<SystemError>> {
        let mut cell = StoreCell::exclusive(store);
        cell.set_tick(first);
        let mut turn = Turn { at, step: &self.plan.steps[at as usize], systems, cell: &mut cell };
        if let Err(error) = self.should_run(&mut turn, &self.outcomes.0[at as usize]) {
            return error;
        }
        let (system, _) = turn.into_system()?;
        let _span = self.enter(system);
        let done = system.run_in((), RunScope::Exclusive(store));
        self.finish(at, system, done)
    }

    /// Has a step of a pipeline get ready, if it runs, and calls `then`, which hands it its rows. If that panics, `panicked` tells
    /// whether this step did.
    pub(super) fn run_in_blocks(
        &self,
        PipelineStep { at, step, systems, mut cell }: PipelineStep<'a, '_>,
        first: Tick,
        panicked: &dyn Fn() -> bool,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Option<Box<SystemError>> {
        let mut turn = Turn { at, step, systems, cell: &mut cell };
        self.begin(turn.step, turn.cell, first);
        if let Err(error) = self.should_run(&mut turn, &self.outcomes.0[at as usize]) {
            return error;
        }
        let (system, cell) = turn.into_system()?;
        let _span = self.enter(system);
        // SAFETY: the step is one of a pipeline (`PipelineAccess::new`): beside rows, nothing that it borrows is borrowed otherwise, nor
        // do others look at when rows were changed that it writes; no row has to be asked; and rows are borrowed when they are handed to
        // the steps, which all have got ready then.
        let scope = unsafe { BlockScope::new(cell, panicked, then) };
        let done = system.run_rows(RowScope::Blocks(scope));
        self.finish(at, system, done)
    }

    /// Evaluates whether a step runs: whether the conditions of the sets around it hold, and its own do. Otherwise there may be an error
    /// to report.
    #[inline(always)]
    fn should_run(&self, turn: &mut Turn<'_, 'a, '_>, outcome: &AtomicU8) -> Result<(), Option<Box<SystemError>>> {
        let (at, step) = (turn.at, turn.step);
        // A step that a failure has blocked is not open any more.
        if !(step.skips_gates && outcome.load(Relaxed) == Outcome::Open as u8) {
            if !self.sets_hold(at, step) {
                return Err(None);
            }
        } else if step.conditions.is_empty() {
            return Ok(());
        }
        match turn.hold() {
            Ok(None) => Ok(()),
            Ok(Some(unmet)) => {
                self.outcomes.set_unmet(at, unmet);
                Err(None)
            }
            Err(error) => Err(self.fail_condition(turn, *error)),
        }
    }

    /// Whether a step is open and the conditions of the sets around it hold. If these do not, its outcome says so afterwards.
    #[inline(never)]
    fn sets_hold(&self, at: u32, step: &PlanStep) -> bool {
        if !self.outcomes.is_open(at) {
            return false;
        }
        let gates = &self.plan.gates[step.gates.start as usize..step.gates.end as usize];
        let hold = gates.iter().all(|gate| self.outcomes.get(*gate) == Outcome::Ran);
        if !hold {
            self.outcomes.set(at, Outcome::Set);
        }
        hold
    }

    /// Has the cell reserve ids where a step that begins does.
    #[inline(always)]
    fn begin(&self, step: &PlanStep, cell: &mut StoreCell<'_>, first: Tick) {
        cell.set_tick(first.later(step.tick));
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
        self.fail(at, Outcome::Failed, (system.name().to_string(), None), error)
    }

    #[cold]
    fn fail_condition(&self, turn: &Turn<'_, 'a, '_>, (name, error): (String, ParamError)) -> Option<Box<SystemError>> {
        self.fail(turn.at, Outcome::ConditionFailed, (name, Some(turn.condition_owner())), error.into_box())
    }

    /// Notes that a step has failed; what is ordered after it does not run, unless the handler says otherwise.
    fn fail(
        &self,
        at: u32,
        outcome: Outcome,
        (system, condition_of): (String, Option<ConditionOwner>),
        error: BoxError,
    ) -> Option<Box<SystemError>> {
        let mut error = Box::new(SystemError { system, condition_of, schedule: self.label, error, stops: true });
        // The step is open until then, so that it is the one that has panicked if the handler does.
        let goes_on = self.handlers.handle(&mut error) == OnError::Continue;
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
