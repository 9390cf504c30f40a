//! Two systems that run as one.
//!
//! Tests: tests/systems/conditions.rs, tests/systems/params/inputs.rs

use alloc::boxed::Box;
use alloc::string::String;

use super::{joined, nested};
use crate::access::Access;
use crate::structure::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, Composite, RunScope, System, SystemCore, SystemFacts, SystemIn};
use crate::system::input::{InputItem, SystemInput};
use crate::system::memory::StateVisitor;
use crate::system::param::add_rows;
use crate::system::param_error::ParamError;
use crate::util::guard::for_each_until_all_had_their_turn;

/// Defines how two systems run as one: which of them run, with which inputs, and how their outputs are combined.
pub(super) trait Join<A: System, B: System>: Send + Sync + 'static {
    /// The input of the pair.
    type In: SystemInput;
    /// The output of the pair.
    type Out;

    /// Whether the pair reports why a system was skipped, and how many rows the two systems visit.
    const REPORTS: bool;

    /// Runs the systems, one of them, or none.
    fn join(
        &self,
        input: InputItem<'_, Self::In>,
        run: &mut PairRun<'_, '_, '_, A, B>,
    ) -> Result<Self::Out, ParamError>;
}

/// A run of two systems. Either may run first, or not at all.
pub(super) struct PairRun<'r, 's, 'w, A, B> {
    /// The name of the pair.
    pub(super) name: &'r str,
    first: &'r mut A,
    second: &'r mut B,
    ticks: [u32; 2],
    progress: &'r mut Progress,
    scope: &'r mut RunScope<'s, 'w>,
}

impl<A: System, B: System> PairRun<'_, '_, '_, A, B> {
    /// Runs the first system.
    #[inline]
    pub(super) fn first(&mut self, input: SystemIn<'_, A>) -> Result<A::Out, ParamError> {
        let used = self.progress.begin(0, self.ticks[0]);
        self.scope.run(self.first, used, input)
    }

    /// Runs the second system.
    #[inline]
    pub(super) fn second(&mut self, input: SystemIn<'_, B>) -> Result<B::Out, ParamError> {
        let used = self.progress.begin(1, self.ticks[1]);
        self.scope.run(self.second, used, input)
    }
}

/// The progress of one run of a pair.
#[derive(Default)]
struct Progress {
    /// Whether each system ran, so that it may have recorded commands.
    ran: [bool; 2],
    /// The index of the last system that ran.
    last: usize,
    /// The number of ticks that the systems have used.
    ticks: u32,
}

impl Progress {
    /// Records that a system is about to run, and returns how many ticks the other one has used.
    #[inline]
    fn begin(&mut self, number: usize, ticks: u32) -> u32 {
        self.ran[number] = true;
        self.last = number;
        let used = self.ticks;
        self.ticks += ticks;
        used
    }
}

/// Two systems that run as one.
struct CombinedSystem<A, B, J> {
    name: String,
    join: J,
    first: A,
    second: B,
    /// The number of levels of systems that are nested in this system.
    nesting: u32,
    /// The access of both systems.
    access: Access,
    /// The number of ticks that each of the two systems uses.
    ticks: [u32; 2],
    /// The world for which both systems are prepared.
    world: Option<WorldId>,
    /// The progress of the last run.
    progress: Progress,
}

impl<A: System, B: System, J: Join<A, B>> SystemCore for CombinedSystem<A, B, J> {
    fn facts(&self) -> SystemFacts<'_> {
        let skipped_by = match self.progress.last {
            _ if !J::REPORTS => None,
            0 => self.first.facts().skipped_by,
            _ => self.second.facts().skipped_by,
        };
        let [first, second] = self.ticks;
        SystemFacts { skipped_by, ..SystemFacts::of_several(&self.name, &self.access, first + second, self.nesting) }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        if J::REPORTS { add_rows(self.first.rows(store), self.second.rows(store)) } else { None }
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        if keeper.resets() {
            self.world = None;
        }
        self.first.visit_state(keeper);
        self.second.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if self.world != Some(world) {
            // `world` is reset first: if one of the two systems panics, the pair counts as prepared for no world.
            self.world = None;
            self.first.prepare(store);
            self.second.prepare(store);
            self.access = self.first.access().union(self.second.access());
            self.world = Some(world);
        }
    }

    /// Applies the commands of both systems. The commands of the second system are applied even if a command of the
    /// first panics.
    fn apply_deferred(&mut self, store: &mut Store) {
        // Commands that were recorded in an interrupted run are discarded.
        let ran = core::mem::take(&mut self.progress.ran);
        for_each_until_all_had_their_turn((0..2).filter(|number| ran[*number]), |number| match number {
            0 => self.first.apply_deferred(store),
            // If a command of the first system has replaced the world, the second system sends its commands to the world that they were
            // recorded for.
            _ => self.second.apply_deferred(store),
        });
    }
}

impl<A: System, B: System, J: Join<A, B>> System for CombinedSystem<A, B, J> {
    type In = J::In;
    type Out = J::Out;

    fn run_in(&mut self, input: InputItem<'_, J::In>, scope: RunScope<'_, '_>) -> Result<J::Out, ParamError> {
        self.run_composite(input, scope)
    }
}

impl<A: System, B: System, J: Join<A, B>> Composite for CombinedSystem<A, B, J> {
    fn world(&mut self) -> &mut Option<WorldId> {
        &mut self.world
    }

    #[inline]
    fn run_members(&mut self, input: InputItem<'_, J::In>, scope: &mut RunScope<'_, '_>) -> Result<J::Out, ParamError> {
        let Self { name, join, first, second, ticks, progress, .. } = self;
        *progress = Progress::default();
        join.join(input, &mut PairRun { name, first, second, ticks: *ticks, progress, scope })
    }
}

/// Returns a system that runs two systems as one. `join` passes each system its input.
pub(super) fn pair<A, B, J>(name: String, join: J, first: A, second: B) -> BoxedSystem<J::In, J::Out>
where
    A: System,
    B: System,
    J: Join<A, B>,
{
    let (of_first, of_second) = (first.facts(), second.facts());
    let access = of_first.access.union(of_second.access);
    let nesting = nested(of_first.nesting.max(of_second.nesting));
    let ticks = [of_first.ticks, of_second.ticks];
    Box::new(CombinedSystem {
        name,
        join,
        first,
        second,
        nesting,
        access,
        ticks,
        world: None,
        progress: Progress::default(),
    })
}

/// Passes the output of the first system to the second.
struct PipeOutput;

impl<A, B> Join<A, B> for PipeOutput
where
    A: System,
    B: System<In: for<'i> SystemInput<Inner<'i> = A::Out>>,
{
    type In = A::In;
    type Out = B::Out;

    const REPORTS: bool = true;

    #[inline]
    fn join(&self, input: SystemIn<'_, A>, run: &mut PairRun<'_, '_, '_, A, B>) -> Result<B::Out, ParamError> {
        let between = run.first(input)?;
        run.second(between)
    }
}

/// Returns a system that runs `first` and passes its output to `second` as the input.
///
/// # Panics
///
/// If the systems are nested too deeply.
pub(in crate::system) fn pipe<I, Out, NextIn, NextOut>(
    first: BoxedSystem<I, Out>,
    second: BoxedSystem<NextIn, NextOut>,
) -> BoxedSystem<I, NextOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: for<'i> SystemInput<Inner<'i> = Out> + 'static,
    NextOut: 'static,
{
    let name = joined(&[first.name(), ".pipe(", second.name(), ")"]);
    pair(name, PipeOutput, first, second)
}

/// Returns the answer of a condition. A condition that is skipped because of a parameter does not hold.
#[inline]
pub(super) fn holds(answer: Result<bool, ParamError>) -> Result<bool, ParamError> {
    match answer {
        Err(error) if error.is_skip() => Ok(false),
        other => other,
    }
}

/// Defines how the answers of two conditions are combined.
pub(in crate::system) struct Rule {
    /// The name of the operator, as in `a.name(b)`.
    pub(in crate::system) name: &'static str,
    /// If the first condition returns this answer, the second is not evaluated, and counts as having returned the same
    /// answer.
    pub(in crate::system) decides: Option<bool>,
    pub(in crate::system) outcome: fn(bool, bool) -> bool,
}

impl<A, B> Join<A, B> for Rule
where
    A: System<In: for<'i> SystemInput<Inner<'i>: Copy>, Out = bool>,
    B: System<In = A::In, Out = bool>,
{
    type In = A::In;
    type Out = bool;

    /// A skipped condition does not hold, so there is nothing to report.
    const REPORTS: bool = false;

    #[inline]
    fn join(&self, input: SystemIn<'_, A>, run: &mut PairRun<'_, '_, '_, A, B>) -> Result<bool, ParamError> {
        let Self { decides, outcome, .. } = *self;
        let first = holds(run.first(input))?;
        if decides == Some(first) {
            return Ok(outcome(first, first));
        }
        let second = holds(run.second(input))?;
        Ok(outcome(first, second))
    }
}

pub(in crate::system) fn both<I: for<'i> SystemInput<Inner<'i>: Copy> + 'static>(
    rule: Rule,
    first: BoxedSystem<I, bool>,
    second: BoxedSystem<I, bool>,
) -> BoxedSystem<I, bool> {
    let name = joined(&[first.name(), ".", rule.name, "(", second.name(), ")"]);
    pair(name, rule, first, second)
}
