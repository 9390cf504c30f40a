//! Two systems that run as one, one after the other.

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

/// Two systems that run as one, one after the other.
struct Pair<I: SystemInput, Out, NextIn: SystemInput, NextOut> {
    name: String,
    first: BoxedSystem<I, Out>,
    second: BoxedSystem<NextIn, NextOut>,
    /// How deep systems are nested in it.
    nesting: u32,
    /// What the two borrow.
    access: Access,
    ticks: u32,
    /// The world of which the access tells. Whether both are ready for it they know themselves.
    world: Option<WorldId>,
    /// Whether the second one has taken part in the last run.
    second_ran: bool,
    /// Whether the last run has come to the second one.
    came_to_second: bool,
}

impl<I, Out, NextIn, NextOut> Pair<I, Out, NextIn, NextOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: SystemInput + 'static,
    NextOut: 'static,
{
    fn new(name: String, first: BoxedSystem<I, Out>, second: BoxedSystem<NextIn, NextOut>) -> Self {
        let access = first.access().union(second.access());
        let nesting = nested(first.nesting().max(second.nesting()));
        let ticks = first.ticks() + second.ticks();
        Self { name, first, second, nesting, access, ticks, world: None, second_ran: false, came_to_second: false }
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

    /// A run begins.
    fn begin(&mut self) {
        self.second_ran = false;
        self.came_to_second = false;
    }

    /// The second one, which is about to run.
    fn second(&mut self) -> &mut BoxedSystem<NextIn, NextOut> {
        self.second_ran = true;
        self.came_to_second = true;
        &mut self.second
    }

    /// Applies what both have recorded, that of the second also if a command of the first panics.
    fn apply_deferred(&mut self, store: &mut Store) {
        // What it recorded in a run that broke off is not wanted any more.
        let count = if core::mem::take(&mut self.second_ran) { 2 } else { 1 };
        for_each_until_all_had_their_turn(0..count, |number| match number {
            0 => self.first.apply_deferred(store),
            // If a command of the first has put another world in the place of this one, it sends its own home.
            _ => self.second.apply_deferred(store),
        });
    }
}

/// What the first returns is given to the second.
struct Pipe<I: SystemInput, Out, NextIn: SystemInput, NextOut>(Pair<I, Out, NextIn, NextOut>);

impl<I, Out, NextIn, NextOut> System for Pipe<I, Out, NextIn, NextOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    NextIn: for<'i> SystemInput<Inner<'i> = Out> + 'static,
    NextOut: 'static,
{
    fn seal(_: Seal) {}

    type In = I;
    type Out = NextOut;

    fn name(&self) -> &str {
        &self.0.name
    }

    fn access(&self) -> &Access {
        &self.0.access
    }

    fn ticks(&self) -> u32 {
        self.0.ticks
    }

    fn nesting(&self) -> u32 {
        self.0.nesting
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        if self.0.came_to_second { self.0.second.skipped_by() } else { self.0.first.skipped_by() }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        add_rows(self.0.first.rows(store), self.0.second.rows(store))
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.0.first.remember(keeper);
        self.0.second.remember(keeper);
    }

    fn forget(&mut self) {
        self.0.first.forget();
        self.0.second.forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.0.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        self.0.prepare(store);
    }

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<NextOut, ParamError> {
        self.0.begin();
        let ticks = self.0.first.ticks();
        // SAFETY: the caller's promise: what the pair borrows is what both borrow.
        let between = unsafe { self.0.first.run_shared(input, cell)? };
        // SAFETY: as above. The first has finished, and what it returned borrows nothing of the world.
        unsafe { self.0.second().run_shared(between, &cell.later(ticks)) }
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<NextOut, ParamError> {
        self.prepare(store);
        self.0.begin();
        let between = self.0.first.run_alone(input, store)?;
        self.0.second().run_alone(between, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.0.apply_deferred(store);
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
    Box::new(Pipe(Pair::new(name, first, second)))
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

/// Two conditions with the same input as one.
struct Both<I: SystemInput> {
    pair: Pair<I, bool, I, bool>,
    rule: Rule,
}

impl<I: for<'i> SystemInput<Inner<'i>: Copy> + 'static> System for Both<I> {
    fn seal(_: Seal) {}

    type In = I;
    type Out = bool;

    fn name(&self) -> &str {
        &self.pair.name
    }

    fn access(&self) -> &Access {
        &self.pair.access
    }

    fn ticks(&self) -> u32 {
        self.pair.ticks
    }

    fn nesting(&self) -> u32 {
        self.pair.nesting
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.pair.first.remember(keeper);
        self.pair.second.remember(keeper);
    }

    fn forget(&mut self) {
        self.pair.first.forget();
        self.pair.second.forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.pair.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        self.pair.prepare(store);
    }

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<bool, ParamError> {
        self.pair.begin();
        let ticks = self.pair.first.ticks();
        // SAFETY: the caller's promise: what the pair borrows is what both borrow.
        let first = holds(unsafe { self.pair.first.run_shared(input, cell) })?;
        if self.rule.decides == Some(first) {
            return Ok((self.rule.outcome)(first, first));
        }
        // SAFETY: as above; the first has finished.
        let second = holds(unsafe { self.pair.second().run_shared(input, &cell.later(ticks)) })?;
        Ok((self.rule.outcome)(first, second))
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<bool, ParamError> {
        self.prepare(store);
        self.pair.begin();
        let first = holds(self.pair.first.run_alone(input, store))?;
        if self.rule.decides == Some(first) {
            return Ok((self.rule.outcome)(first, first));
        }
        let second = holds(self.pair.second().run_alone(input, store))?;
        Ok((self.rule.outcome)(first, second))
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.pair.apply_deferred(store);
    }
}

pub(in crate::system) fn both<I: for<'i> SystemInput<Inner<'i>: Copy> + 'static>(
    rule: Rule,
    first: BoxedSystem<I, bool>,
    second: BoxedSystem<I, bool>,
) -> BoxedSystem<I, bool> {
    let name = joined(&[first.name(), ".", rule.name, "(", second.name(), ")"]);
    Box::new(Both { pair: Pair::new(name, first, second), rule })
}
