//! Running the steps of a plan: one by one, or several of a stage in parallel.
//!
//! Tests: tests/schedules/schedule/panics.rs, tests/schedules/schedule/errors.rs

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
use super::graph::{Condition, Runnable, ScheduleGraph, SetNode};
use super::ids::IdMarks;
use super::order::Ordering;
use super::plan::{Plan, PlanStep, Task};
use crate::schedule::label::InternedScheduleLabel;
use crate::storage::tick::Tick;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::{BlockScope, Blocks, ParamError, RowScope, RunScope, SharedScope};
use crate::util::error::{BoxError, EcsError, ErrorHandler};
use crate::util::trace::{RunSpan, SpanGuard};

/// A function that handles the failure of a system.
pub(super) type ScheduleErrorHandler = fn(&SystemError) -> OnError;

/// The error handlers of a run. The handler of the schedule takes precedence.
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

/// The outcome of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Outcome {
    /// The step has not run yet.
    Open,
    /// The system ran, or the conditions hold.
    Ran,
    /// The system failed.
    Failed,
    /// A condition of the system failed, so the system did not run.
    ConditionFailed,
    /// The conditions of a set around the step do not hold.
    Set,
    /// A parameter reported that there is nothing to do.
    Param,
    /// A system that the step is ordered after has failed.
    Blocked,
    /// A condition of the step does not hold. [`Outcomes::unmet`] returns which one.
    Condition,
}

impl Outcome {
    fn of(number: u8) -> Self {
        use Outcome::{Blocked, Condition, ConditionFailed, Failed, Open, Param, Ran, Set};
        const ALL: [Outcome; 8] = [Open, Ran, Failed, ConditionFailed, Set, Param, Blocked, Condition];
        // Greater numbers encode the index of the condition.
        ALL[(number as usize).min(Condition as usize)]
    }
}

/// Up to this number of steps, the outcomes are reset one by one.
const FEW_STEPS: usize = 16;

/// The outcome of each step of a run.
#[derive(Default)]
pub(super) struct Outcomes(Vec<AtomicU8>);

impl Outcomes {
    /// Resets the outcomes before a run of `steps` steps.
    #[inline]
    pub(super) fn reset(&mut self, steps: usize) {
        if self.0.len() != steps {
            self.0.resize_with(steps, AtomicU8::default);
        }
        // For few steps, a call of a function that fills memory takes longer than the fill.
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

    /// Returns the outcome of a step. Only one thread runs the step.
    #[cfg(feature = "parallel")]
    pub(super) fn cell(&self, step: u32) -> &AtomicU8 {
        &self.0[step as usize]
    }

    #[inline]
    fn set(&self, step: u32, outcome: Outcome) {
        self.0[step as usize].store(outcome as u8, Relaxed);
    }

    /// Records that a condition did not hold.
    fn set_unmet(&self, step: u32, condition: usize) {
        let number = condition.min(usize::from(u8::MAX - Outcome::Condition as u8)) as u8;
        self.0[step as usize].store(Outcome::Condition as u8 + number, Relaxed);
    }

    /// Returns the index of the first condition of a step that did not hold.
    pub(super) fn unmet(&self, step: u32) -> Option<usize> {
        self.0[step as usize].load(Relaxed).checked_sub(Outcome::Condition as u8).map(usize::from)
    }

    /// Returns whether these are the outcomes of a run with `steps` steps.
    pub(super) fn are_of(&self, steps: usize) -> bool {
        self.0.len() == steps
    }

    /// Returns the first of some steps that has not run yet.
    #[cfg(feature = "std")]
    pub(super) fn first_open(&self, mut steps: Range<u32>) -> Option<u32> {
        steps.find(|step| self.is_open(*step))
    }

    #[inline]
    fn is_open(&self, step: u32) -> bool {
        self.0[step as usize].load(Relaxed) == Outcome::Open as u8
    }
}

/// The data that all steps of a run share.
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

/// The systems and conditions of a graph, shared by several threads. Each system or condition is run by one thread at a time.
#[derive(Clone, Copy)]
pub(super) struct SharedSystems<'a> {
    runnables: *mut Runnable,
    conditions: *mut Condition,
    sets: *mut SetNode,
    /// Binds the lifetime of the graph to which the pointers point.
    graph: core::marker::PhantomData<&'a mut ScheduleGraph>,
}

// SAFETY: systems and conditions are `Send` (see `ARE_SEND`), and the caller that runs a step guarantees that no other
// code uses the systems and conditions of the step.
unsafe impl Send for SharedSystems<'_> {}
// SAFETY: a shared reference only copies the pointers; the caller that runs a step guarantees that no other code uses
// their targets.
unsafe impl Sync for SharedSystems<'_> {}

/// Fails to compile if systems or conditions are not `Send`.
const ARE_SEND: () = {
    const fn are_send<T: Send, U: Send>() {}
    are_send::<Runnable, SetNode>();
};

impl<'a> SharedSystems<'a> {
    pub(super) fn of(graph: &'a mut ScheduleGraph) -> Self {
        let () = ARE_SEND;
        let (runnables, sets) = (graph.runnables.as_mut_ptr(), graph.sets.as_mut_ptr());
        Self { runnables, conditions: graph.conditions.as_mut_ptr(), sets, graph: core::marker::PhantomData }
    }
}

/// The turn of a step: exclusive access to its system and conditions, and to the part of the store that these access. A
/// [`StepAccess`] or [`PipelineStep`] provides it.
pub(super) struct StepTurn<'t, 'a, 'w> {
    at: u32,
    step: &'a PlanStep,
    systems: SharedSystems<'a>,
    /// Holds the current tick of the step, which advances.
    cell: &'t mut StoreCell<'w>,
}

/// Access to consecutive steps of a plan, whose turns come one after the other.
pub(super) struct StepAccess<'a, 'w> {
    plan: &'a Plan,
    systems: SharedSystems<'a>,
    steps: Range<u32>,
    cell: StoreCell<'w>,
}

#[cfg(feature = "parallel")]
impl<'a, 'w> StepAccess<'a, 'w> {
    /// # Safety
    ///
    /// - Nothing that the steps access is borrowed elsewhere while the value, or a value derived from it, is used, and
    ///   no other code uses their systems and conditions. A step may access data that other steps of the range access.
    /// - All systems and conditions have been initialized for the cell's store; no step is an exclusive system.
    /// - The systems belong to the graph from which the plan was made.
    #[inline]
    pub(super) unsafe fn new(
        plan: &'a Plan,
        systems: SharedSystems<'a>,
        steps: Range<u32>,
        cell: StoreCell<'w>,
    ) -> Self {
        Self { plan, systems, steps, cell }
    }

    /// Begins the turn of one of the steps. It must end before another turn begins.
    #[inline]
    pub(super) fn turn(&mut self, at: u32) -> StepTurn<'_, 'a, 'w> {
        assert!(self.steps.contains(&at), "a step has its turn among others");
        StepTurn { at, step: &self.plan.steps[at as usize], systems: self.systems, cell: &mut self.cell }
    }
}

/// Access to the steps of a pipeline. Their turns begin one after the other, and all of them last until the last turn ends.
pub(super) struct PipelineAccess<'a, 'w>(StepAccess<'a, 'w>);

impl<'a, 'w> PipelineAccess<'a, 'w> {
    /// # Safety
    ///
    /// - The conditions of [`StepAccess::new`].
    /// - The steps belong to a pipeline that is valid in the world of the cell: apart from rows, no two of them access
    ///   data that one of them writes; none reads the change ticks of rows that another one changes; and no row needs a
    ///   per-row filter check.
    pub(super) unsafe fn new(
        plan: &'a Plan,
        systems: SharedSystems<'a>,
        steps: Range<u32>,
        cell: StoreCell<'w>,
    ) -> Self {
        Self(StepAccess { plan, systems, steps, cell })
    }

    pub(super) fn cell(&self) -> StoreCell<'w> {
        self.0.cell
    }

    /// Returns the first step and access to the others, or `Err(self)` if there is no step.
    pub(super) fn split_first(self) -> Result<(PipelineStep<'a, 'w>, Self), Self> {
        let StepAccess { plan, systems, steps: Range { start, end }, cell } = self.0;
        if start == end {
            return Err(self);
        }
        let rest = Self(StepAccess { plan, systems, steps: start + 1..end, cell });
        Ok((PipelineStep { at: start, step: &plan.steps[start as usize], systems, cell }, rest))
    }
}

/// Access to one step of a pipeline.
pub(super) struct PipelineStep<'a, 'w> {
    pub(super) at: u32,
    step: &'a PlanStep,
    systems: SharedSystems<'a>,
    cell: StoreCell<'w>,
}

impl<'t, 'a, 'w> StepTurn<'t, 'a, 'w> {
    /// Returns the conditions that the step evaluates: those of its system, or those of its set.
    #[inline]
    fn conditions(&mut self) -> &mut [Condition] {
        match self.step.task {
            Task::System(_) => {
                let Range { start, end } = self.step.conditions;
                // SAFETY: the graph is borrowed mutably for 'a, and the ranges of its plan are in bounds of its
                // conditions; each condition belongs to one system, whose turn it is.
                unsafe {
                    core::slice::from_raw_parts_mut(self.systems.conditions.add(start as usize), (end - start) as usize)
                }
            }
            // SAFETY: the graph is borrowed mutably for 'a and has this set; only one step evaluates its conditions, and
            // it is the turn of that step.
            Task::Ask(set) => unsafe { &mut (*self.systems.sets.add(set as usize)).conditions },
        }
    }

    /// Returns the system or set that the conditions of the step belong to.
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

    /// Returns the system, if the step runs one, and the cell on which it runs.
    #[inline]
    fn into_system(self) -> Option<(&'a mut ScheduleSystem, &'t StoreCell<'w>)> {
        let Task::System(number) = self.step.task else { return None };
        // SAFETY: the graph is borrowed mutably for 'a and has this system, whose turn it is; `self` is consumed, so the
        // turn yields the system once.
        Some((unsafe { &mut (*self.systems.runnables.add(number as usize)).system }, self.cell))
    }

    /// Evaluates the conditions, and returns the index of the first one that does not hold, if there is one. All
    /// conditions are evaluated, whatever the results, so that each condition sees every run.
    #[inline]
    fn hold(&mut self) -> Result<Option<usize>, Box<(String, ParamError)>> {
        let (mut unmet, mut cell) = (None, *self.cell);
        for (number, condition) in self.conditions().iter_mut().enumerate() {
            // SAFETY: it is the turn of the conditions, so nothing else borrows what they access.
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

/// Handles a condition that could not run. If a parameter reports that there is nothing to do, the condition counts as
/// not holding; otherwise returns an error.
#[cold]
#[inline(never)]
fn fails(condition: &Condition, error: ParamError) -> Result<bool, Box<(String, ParamError)>> {
    if error.is_skip() { Ok(false) } else { Err(Box::new((condition.system.name().to_string(), error))) }
}

impl<'a> RunContext<'a> {
    /// Runs consecutive steps.
    ///
    /// # Safety
    ///
    /// - The conditions of [`StepAccess::new`].
    // Not inlined: as a separate function it keeps the loop's state in registers, and its arguments are not gathered in memory.
    #[inline(never)]
    pub(super) unsafe fn run_steps(
        &self,
        steps: Range<u32>,
        systems: SharedSystems<'a>,
        mut cell: StoreCell<'_>,
        first: Tick,
        errors: &mut Vec<(u32, Box<SystemError>)>,
        measure: &mut impl Measure,
    ) {
        let range = steps.start as usize..steps.end as usize;
        let (of_plan, outcomes) = (&self.plan.steps[range.clone()], &self.outcomes.0[range]);
        for (at, (step, outcome)) in steps.zip(of_plan.iter().zip(outcomes)) {
            if let Some(error) = self.run_step(StepTurn { at, step, systems, cell: &mut cell }, outcome, first, measure)
            {
                errors.push((at, error));
            }
        }
    }

    /// Runs a step of a stage whose first tick is `first`. The conditions of the step use its first ticks within the
    /// stage, and its system uses the ticks after these. `outcome` must be the outcome of the step.
    #[inline(always)]
    pub(super) fn run_step(
        &self,
        mut turn: StepTurn<'_, 'a, '_>,
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
                    // SAFETY: it is the turn of the system, so nothing else borrows what it accesses.
                    let done = system.run_in((), RunScope::Shared(unsafe { SharedScope::new(cell) }));
                    if matches!(done, Ok(Ok(()))) {
                        // The result needs no drop, but without `forget` the compiler would emit code for it.
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

    /// Runs a step whose system is exclusive. Its conditions use the tick `first` and the ticks after it.
    ///
    /// # Safety
    ///
    /// - The systems belong to the graph of the plan, all are initialized for the store, and no other code uses them.
    pub(super) unsafe fn run_alone(
        &self,
        at: u32,
        systems: SharedSystems<'a>,
        store: &mut Store,
        first: Tick,
    ) -> Option<Box<SystemError>> {
        let mut cell = StoreCell::exclusive(store);
        cell.set_tick(first);
        let mut turn = StepTurn { at, step: &self.plan.steps[at as usize], systems, cell: &mut cell };
        if let Err(error) = self.should_run(&mut turn, &self.outcomes.0[at as usize]) {
            return error;
        }
        let (system, _) = turn.into_system()?;
        let _span = self.enter(system);
        let done = system.run_in((), RunScope::Exclusive(store));
        self.finish(at, system, done)
    }

    /// Prepares a step of a pipeline and calls `then`, which passes rows to the step. Does nothing if the step does not
    /// run. If `then` panics, `panicked` returns whether this step caused the panic.
    pub(super) fn run_in_blocks(
        &self,
        PipelineStep { at, step, systems, mut cell }: PipelineStep<'a, '_>,
        first: Tick,
        panicked: &dyn Fn() -> bool,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Option<Box<SystemError>> {
        let mut turn = StepTurn { at, step, systems, cell: &mut cell };
        self.begin(turn.step, turn.cell, first);
        if let Err(error) = self.should_run(&mut turn, &self.outcomes.0[at as usize]) {
            return error;
        }
        let (system, cell) = turn.into_system()?;
        let _span = self.enter(system);
        // SAFETY: the step belongs to a pipeline (`PipelineAccess::new`): apart from rows, nothing that it accesses is
        // borrowed elsewhere, no other step reads the change ticks of rows that it writes, and no row needs a per-row
        // filter check. Rows are borrowed when they are passed to the steps, which have all been prepared by then.
        let scope = unsafe { BlockScope::new(cell, panicked, then) };
        let done = system.run_rows(RowScope::Blocks(scope));
        self.finish(at, system, done)
    }

    /// Returns whether a step runs: the conditions of the sets around it and its own conditions must hold. If it does
    /// not run, the result is `Err`, with the error to report, if there is one.
    #[inline(always)]
    fn should_run(&self, turn: &mut StepTurn<'_, 'a, '_>, outcome: &AtomicU8) -> Result<(), Option<Box<SystemError>>> {
        let (at, step) = (turn.at, turn.step);
        // `skips_gates` alone does not decide: an earlier failure may have blocked the step, which is no longer open then.
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

    /// Returns whether a step has not run yet and the conditions of the sets around it hold. If they do not, sets its outcome.
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

    /// Sets the tick and the id stream of the cell for a step that begins.
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
    pub(super) fn enter(&self, system: &ScheduleSystem) -> SpanGuard {
        self.span.system(self.label, || system.name())
    }

    /// Records the outcome of a system.
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
    fn fail_condition(
        &self,
        turn: &StepTurn<'_, 'a, '_>,
        (name, error): (String, ParamError),
    ) -> Option<Box<SystemError>> {
        self.fail(turn.at, Outcome::ConditionFailed, (name, Some(turn.condition_owner())), error.into_box())
    }

    /// Records that a step has failed. The systems that are ordered after it do not run, unless the handler returns
    /// [`OnError::Continue`].
    fn fail(
        &self,
        at: u32,
        outcome: Outcome,
        (system, condition_of): (String, Option<ConditionOwner>),
        error: BoxError,
    ) -> Option<Box<SystemError>> {
        let mut error = Box::new(SystemError { system, condition_of, schedule: self.label, error, stops: true });
        // The outcome is set after the handler call, so that the step is reported if the handler panics.
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

    /// Returns the name of the system or set of a step.
    #[cfg(feature = "std")]
    pub(super) fn name(&self, graph: &ScheduleGraph, at: u32) -> String {
        graph.name(match self.plan.steps[at as usize].task {
            Task::System(number) => SystemOrSet::System(number),
            Task::Ask(set) => SystemOrSet::Set(set),
        })
    }
}
