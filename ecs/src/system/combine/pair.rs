//! Two systems that run as one.

use alloc::boxed::Box;
use alloc::string::String;

use super::{joined, nested};
use crate::access::Access;
use crate::cell::StoreCell;
use crate::guard::for_each_until_all_had_their_turn;
use crate::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, ParamError, Seal, System};
use crate::system::input::{Given, SystemInput};
use crate::system::memory::Keeper;
use crate::system::param::add_rows;

/// How two systems run as one: which of them run, with which inputs, and what becomes of their outputs.
pub(super) trait Join<I: SystemInput, Out, NextIn: SystemInput, NextOut>: Send + Sync + 'static {
    /// The input of the pair.
    type In: SystemInput;
    /// The output of the pair.
    type Out;

    /// Whether the pair reports why a system was skipped, and how many rows the two visit.
    const REPORTS: bool;

    /// Runs the systems by `first` and `second`. `pair` is the name of the pair.
    fn join<T>(
        &self,
        pair: &str,
        input: Given<'_, Self::In>,
        run: &mut T,
        first: impl FnOnce(Given<'_, I>, &mut T) -> Result<Out, ParamError>,
        second: impl FnOnce(Given<'_, NextIn>, &mut T) -> Result<NextOut, ParamError>,
    ) -> Result<Self::Out, ParamError>;
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
struct Pair<J, I: SystemInput, Out, NextIn: SystemInput, NextOut> {
    name: String,
    join: J,
    first: BoxedSystem<I, Out>,
    second: BoxedSystem<NextIn, NextOut>,
    /// How deep systems are nested in it.
    nesting: u32,
    /// What the two borrow.
    access: Access,
    ticks: u32,
    /// The world of which the access tells. Whether both are ready for it they know themselves.
    world: Option<WorldId>,
    /// Of the last run.
    progress: Progress,
}

impl<J, I, Out, NextIn, NextOut> System for Pair<J, I, Out, NextIn, NextOut>
where
    J: Join<I, Out, NextIn, NextOut>,
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: SystemInput + 'static,
    NextOut: 'static,
{
    fn seal(_: Seal) {}

    type In = J::In;
    type Out = J::Out;

    fn name(&self) -> &str {
        &self.name
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn ticks(&self) -> u32 {
        self.ticks
    }

    fn nesting(&self) -> u32 {
        self.nesting
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        match self.progress.last {
            _ if !J::REPORTS => None,
            0 => self.first.skipped_by(),
            _ => self.second.skipped_by(),
        }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        if J::REPORTS { add_rows(self.first.rows(store), self.second.rows(store)) } else { None }
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.first.remember(keeper);
        self.second.remember(keeper);
    }

    fn forget(&mut self) {
        self.first.forget();
        self.second.forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.world == Some(world) && self.first.is_ready_for(world) && self.second.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if !self.is_ready_for(world) {
            // If one of the two panics, the pair is ready for no world.
            self.world = None;
            self.first.prepare(store);
            self.second.prepare(store);
            self.access = self.first.access().union(self.second.access());
            self.world = Some(world);
        }
    }

    unsafe fn run_shared(&mut self, input: Given<'_, J::In>, cell: &StoreCell<'_>) -> Result<J::Out, ParamError> {
        let Self { name, join, first, second, progress, .. } = self;
        *progress = Progress::default();
        join.join(
            name,
            input,
            progress,
            |input, progress: &mut Progress| {
                let used = progress.begin(0, first.ticks());
                // SAFETY: the caller's promise: what the pair borrows is what both borrow. The other system does not run: the progress is
                // borrowed for each run.
                unsafe { first.run_shared(input, &cell.later(used)) }
            },
            |input, progress: &mut Progress| {
                let used = progress.begin(1, second.ticks());
                // SAFETY: as above. What the other system returned borrows nothing of the world.
                unsafe { second.run_shared(input, &cell.later(used)) }
            },
        )
    }

    fn run_alone(&mut self, input: Given<'_, J::In>, store: &mut Store) -> Result<J::Out, ParamError> {
        self.prepare(store);
        let Self { name, join, first, second, progress, .. } = self;
        *progress = Progress::default();
        join.join(
            name,
            input,
            &mut (progress, store),
            |input, (progress, store): &mut (&mut Progress, &mut Store)| {
                progress.begin(0, 0);
                first.run_alone(input, store)
            },
            |input, (progress, store): &mut (&mut Progress, &mut Store)| {
                progress.begin(1, 0);
                second.run_alone(input, store)
            },
        )
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

/// Two systems that run as one. Either gets the input that the join gives it.
pub(super) fn pair<J, I, Out, NextIn, NextOut>(
    name: String,
    join: J,
    first: BoxedSystem<I, Out>,
    second: BoxedSystem<NextIn, NextOut>,
) -> BoxedSystem<J::In, J::Out>
where
    J: Join<I, Out, NextIn, NextOut>,
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: SystemInput + 'static,
    NextOut: 'static,
{
    let access = first.access().union(second.access());
    let nesting = nested(first.nesting().max(second.nesting()));
    let ticks = first.ticks() + second.ticks();
    Box::new(Pair { name, join, first, second, nesting, access, ticks, world: None, progress: Progress::default() })
}

/// The second system gets what the first returns.
struct Pipe;

impl<I, Out, NextIn, NextOut> Join<I, Out, NextIn, NextOut> for Pipe
where
    I: SystemInput,
    NextIn: for<'i> SystemInput<Inner<'i> = Out>,
{
    type In = I;
    type Out = NextOut;

    const REPORTS: bool = true;

    #[inline]
    fn join<T>(
        &self,
        _: &str,
        input: Given<'_, I>,
        run: &mut T,
        first: impl FnOnce(Given<'_, I>, &mut T) -> Result<Out, ParamError>,
        second: impl FnOnce(Given<'_, NextIn>, &mut T) -> Result<NextOut, ParamError>,
    ) -> Result<NextOut, ParamError> {
        let between = first(input, run)?;
        second(between, run)
    }
}

/// A pipe of which one system is nested in the other.
pub(in crate::system) fn nested_pipe<I, Out, NextIn, NextOut>(
    name: String,
    first: BoxedSystem<I, Out>,
    second: BoxedSystem<NextIn, NextOut>,
) -> BoxedSystem<I, NextOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: for<'i> SystemInput<Inner<'i> = Out> + 'static,
    NextOut: 'static,
{
    pair(name, Pipe, first, second)
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

impl<I: for<'i> SystemInput<Inner<'i>: Copy>> Join<I, bool, I, bool> for Rule {
    type In = I;
    type Out = bool;

    /// What skips a condition is its answer.
    const REPORTS: bool = false;

    #[inline]
    fn join<T>(
        &self,
        _: &str,
        input: Given<'_, I>,
        run: &mut T,
        first: impl FnOnce(Given<'_, I>, &mut T) -> Result<bool, ParamError>,
        second: impl FnOnce(Given<'_, I>, &mut T) -> Result<bool, ParamError>,
    ) -> Result<bool, ParamError> {
        let first = holds(first(input, run))?;
        if self.decides == Some(first) {
            return Ok((self.outcome)(first, first));
        }
        let second = holds(second(input, run))?;
        Ok((self.outcome)(first, second))
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
