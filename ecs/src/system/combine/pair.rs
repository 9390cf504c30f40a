//! Two systems that run as one.

use alloc::boxed::Box;
use alloc::string::String;
use core::marker::PhantomData;

use super::{joined, nested};
use crate::access::Access;
use crate::guard::for_each_until_all_had_their_turn;
use crate::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, Composite, RunScope, System, SystemCore, SystemFacts};
use crate::system::input::{Given, SystemInput};
use crate::system::memory::Keeper;
use crate::system::param::add_rows;
use crate::system::param_error::ParamError;

/// How two systems run as one: which of them run, with which inputs, and what becomes of their outputs.
pub(super) trait Join: Sized + Send + Sync + 'static {
    /// The input of the first system.
    type FirstIn: SystemInput + 'static;
    /// The output of the first system.
    type FirstOut: 'static;
    /// The input of the second system.
    type SecondIn: SystemInput + 'static;
    /// The output of the second system.
    type SecondOut: 'static;
    /// The input of the pair.
    type In: SystemInput;
    /// The output of the pair.
    type Out;

    /// Whether the pair reports why a system was skipped, and how many rows the two visit.
    const REPORTS: bool;

    /// Runs the systems, or does not.
    fn join(&self, input: Given<'_, Self::In>, run: &mut PairRun<'_, '_, '_, Self>) -> Result<Self::Out, ParamError>;
}

/// A run of two systems. Either may run first, or not at all.
pub(super) struct PairRun<'r, 's, 'w, J: Join> {
    /// The name of the pair.
    pub(super) name: &'r str,
    first: &'r mut BoxedSystem<J::FirstIn, J::FirstOut>,
    second: &'r mut BoxedSystem<J::SecondIn, J::SecondOut>,
    ticks: [u32; 2],
    progress: &'r mut Progress,
    scope: &'r mut RunScope<'s, 'w>,
}

impl<J: Join> PairRun<'_, '_, '_, J> {
    /// Runs the first system.
    #[inline]
    pub(super) fn first(&mut self, input: Given<'_, J::FirstIn>) -> Result<J::FirstOut, ParamError> {
        let used = self.progress.begin(0, self.ticks[0]);
        self.scope.run(&mut **self.first, used, input)
    }

    /// Runs the second system.
    #[inline]
    pub(super) fn second(&mut self, input: Given<'_, J::SecondIn>) -> Result<J::SecondOut, ParamError> {
        let used = self.progress.begin(1, self.ticks[1]);
        self.scope.run(&mut **self.second, used, input)
    }
}

/// Which of two systems have run, in one run of the pair.
#[derive(Default)]
struct Progress {
    /// Systems that may have recorded commands.
    ran: [bool; 2],
    /// The last system that ran.
    last: usize,
    /// How many ticks the systems have used.
    ticks: u32,
}

impl Progress {
    /// Notes that a system is about to run, and returns how many ticks the other one has used.
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
struct Pair<J: Join> {
    name: String,
    join: J,
    first: BoxedSystem<J::FirstIn, J::FirstOut>,
    second: BoxedSystem<J::SecondIn, J::SecondOut>,
    /// How deep systems are nested in it.
    nesting: u32,
    /// What the two borrow.
    access: Access,
    /// How many ticks each of them uses.
    ticks: [u32; 2],
    /// The world for which both are prepared.
    world: Option<WorldId>,
    /// Of the last run.
    progress: Progress,
}

impl<J: Join> SystemCore for Pair<J> {
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

    fn visit_state(&mut self, keeper: &mut Keeper<'_>) {
        if keeper.resets() {
            self.world = None;
        }
        self.first.visit_state(keeper);
        self.second.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if self.world != Some(world) {
            // If one of the two panics, the pair is prepared for no world.
            self.world = None;
            self.first.prepare(store);
            self.second.prepare(store);
            self.access = self.first.access().union(self.second.access());
            self.world = Some(world);
        }
    }

    /// Applies what both have recorded, that of the second also if a command of the first panics.
    fn apply_deferred(&mut self, store: &mut Store) {
        // What it recorded in a run that broke off is not wanted any more.
        let ran = core::mem::take(&mut self.progress.ran);
        for_each_until_all_had_their_turn((0..2).filter(|number| ran[*number]), |number| match number {
            0 => self.first.apply_deferred(store),
            // If a command of the first has put another world in the place of this one, it sends its own home.
            _ => self.second.apply_deferred(store),
        });
    }
}

impl<J: Join> System for Pair<J> {
    type In = J::In;
    type Out = J::Out;

    fn run_in(&mut self, input: Given<'_, J::In>, scope: RunScope<'_, '_>) -> Result<J::Out, ParamError> {
        self.run_composite(input, scope)
    }
}

impl<J: Join> Composite for Pair<J> {
    fn world(&mut self) -> &mut Option<WorldId> {
        &mut self.world
    }

    #[inline]
    fn run_members(&mut self, input: Given<'_, J::In>, scope: &mut RunScope<'_, '_>) -> Result<J::Out, ParamError> {
        let Self { name, join, first, second, ticks, progress, .. } = self;
        *progress = Progress::default();
        join.join(input, &mut PairRun { name, first, second, ticks: *ticks, progress, scope })
    }
}

/// Two systems that run as one. Either gets the input that the join gives it.
pub(super) fn pair<J: Join>(
    name: String,
    join: J,
    first: BoxedSystem<J::FirstIn, J::FirstOut>,
    second: BoxedSystem<J::SecondIn, J::SecondOut>,
) -> BoxedSystem<J::In, J::Out> {
    let (of_first, of_second) = (first.facts(), second.facts());
    let access = of_first.access.union(of_second.access);
    let nesting = nested(of_first.nesting.max(of_second.nesting));
    let ticks = [of_first.ticks, of_second.ticks];
    Box::new(Pair { name, join, first, second, nesting, access, ticks, world: None, progress: Progress::default() })
}

/// The second system gets what the first returns.
struct Pipe<I, Out, NextIn, NextOut>(PhantomData<fn(I, Out) -> (NextIn, NextOut)>);

impl<I, Out, NextIn, NextOut> Join for Pipe<I, Out, NextIn, NextOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: for<'i> SystemInput<Inner<'i> = Out> + 'static,
    NextOut: 'static,
{
    type FirstIn = I;
    type FirstOut = Out;
    type SecondIn = NextIn;
    type SecondOut = NextOut;
    type In = I;
    type Out = NextOut;

    const REPORTS: bool = true;

    #[inline]
    fn join(&self, input: Given<'_, I>, run: &mut PairRun<'_, '_, '_, Self>) -> Result<NextOut, ParamError> {
        let between = run.first(input)?;
        run.second(between)
    }
}

/// A system that is given what another one returns.
///
/// # Panics
///
/// If one of them is nested too deeply.
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
    pair(name, Pipe(PhantomData), first, second)
}

/// What a condition says. One that is skipped because of a parameter does not hold.
#[inline]
pub(super) fn holds(answer: Result<bool, ParamError>) -> Result<bool, ParamError> {
    match answer {
        Err(error) if error.is_skip() => Ok(false),
        other => other,
    }
}

/// How the answers of two conditions become one.
pub(in crate::system) struct Rule {
    /// As in `a.name(b)`.
    pub(in crate::system) name: &'static str,
    /// The answer of the first one with which the second is not asked. It counts for both then.
    pub(in crate::system) decides: Option<bool>,
    pub(in crate::system) outcome: fn(bool, bool) -> bool,
}

/// Joins conditions by a [`Rule`].
struct Ruled<I>(Rule, PhantomData<fn(I)>);

impl<I: for<'i> SystemInput<Inner<'i>: Copy> + 'static> Join for Ruled<I> {
    type FirstIn = I;
    type FirstOut = bool;
    type SecondIn = I;
    type SecondOut = bool;
    type In = I;
    type Out = bool;

    /// What skips a condition is its answer.
    const REPORTS: bool = false;

    #[inline]
    fn join(&self, input: Given<'_, I>, run: &mut PairRun<'_, '_, '_, Self>) -> Result<bool, ParamError> {
        let Rule { decides, outcome, .. } = self.0;
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
    pair(name, Ruled(rule, PhantomData), first, second)
}
