//! Long pipes. Two systems of a pipe are nested in each other, which is quick, and takes a little of the stack; where that would
//! come to much, systems stand one behind the other instead, and what one returns is handed to the next in a box.
//!
//! What a user can nest without end (sets, groups of systems) is walked with a stack on the heap. The two systems of a pipe
//! are nested up to a depth of 64. Other systems that are made of systems may be nested 500 deep, which is checked where
//! they are made.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use core::marker::PhantomData;

use super::base::{Boxed, BoxedSystem, ParamError, Parts, Seal, System};
use super::combine::{joined, map, nested, nested_pipe};
use super::input::{Given, In, SystemInput};
use super::memory::Keeper;
use super::param::add_rows;
use crate::access::Access;
use crate::cell::StoreCell;
use crate::guard::for_each_until_all_had_their_turn;
use crate::store::{Store, WorldId};

/// How deep the systems of a pipe are nested before they stand one behind the other.
const NESTED: u32 = 64;

/// A system that gets what it is given in a box.
struct Fed<I: SystemInput, Given> {
    system: BoxedSystem<I, Boxed>,
    marker: PhantomData<fn(Given)>,
}

/// What is in a box.
fn unboxed<T: 'static>(value: Boxed) -> T {
    match value.downcast() {
        Ok(value) => *value,
        Err(_) => unreachable!("each system of a pipe takes what the one before it returns"),
    }
}

impl<I, Mid> System for Fed<I, Mid>
where
    I: for<'i> SystemInput<Inner<'i> = Mid> + 'static,
    Mid: 'static,
{
    fn seal(_: Seal) {}

    type In = In<Boxed>;
    type Out = Boxed;

    fn name(&self) -> &str {
        self.system.name()
    }

    fn access(&self) -> &Access {
        self.system.access()
    }

    fn ticks(&self) -> u32 {
        self.system.ticks()
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.system.skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.system.remember(keeper);
    }

    fn forget(&mut self) {
        self.system.forget();
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.system.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        self.system.prepare(store);
    }

    unsafe fn run_shared(&mut self, input: Boxed, cell: &StoreCell<'_>) -> Result<Boxed, ParamError> {
        // SAFETY: the caller's promise.
        unsafe { self.system.run_shared(unboxed(input), cell) }
    }

    fn run_alone(&mut self, input: Boxed, store: &mut Store) -> Result<Boxed, ParamError> {
        self.system.run_alone(unboxed(input), store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

/// A pipe of many systems.
struct Chain<I: SystemInput, Out> {
    name: String,
    first: Option<BoxedSystem<I, Boxed>>,
    rest: VecDeque<BoxedSystem<In<Boxed>, Boxed>>,
    /// How deep one of them is nested, at most.
    nesting: u32,
    /// What all borrow.
    access: Access,
    ticks: u32,
    /// The world of which the access tells. Whether they are ready for it they know themselves.
    world: Option<WorldId>,
    /// How many of those behind the first have taken part in the last run.
    ran: usize,
    /// How many of those behind the first the last run has come to.
    came_to: usize,
    marker: PhantomData<fn() -> Out>,
}

impl<I: SystemInput + 'static, Out: 'static> Chain<I, Out> {
    /// The first system, which is there unless the parts have been taken.
    fn first(&self) -> &BoxedSystem<I, Boxed> {
        let Some(first) = &self.first else { unreachable!("a pipe that was taken apart is dropped") };
        first
    }

    fn first_mut(&mut self) -> &mut BoxedSystem<I, Boxed> {
        let Some(first) = &mut self.first else { unreachable!("a pipe that was taken apart is dropped") };
        first
    }

    fn unite(&mut self) {
        let rest = self.rest.iter().map(|system| system.access());
        self.access = Access::union_of(core::iter::once(self.first().access()).chain(rest));
    }
}

impl<I: SystemInput + 'static, Out: 'static> System for Chain<I, Out> {
    fn seal(_: Seal) {}

    type In = I;
    type Out = Out;

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
        (self.nesting + 1).max(NESTED)
    }

    fn take_parts(&mut self) -> Option<Parts<I>> {
        let first = self.first.take()?;
        Some(Parts { first, rest: core::mem::take(&mut self.rest), nesting: self.nesting })
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        match self.came_to.checked_sub(1) {
            Some(at) => self.rest.get(at)?.skipped_by(),
            None => self.first().skipped_by(),
        }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        let rest = self.rest.iter().map(|system| system.rows(store));
        rest.fold(self.first().rows(store), add_rows)
    }

    fn remember(&mut self, keeper: &mut Keeper<'_>) {
        self.first_mut().remember(keeper);
        self.rest.iter_mut().for_each(|system| system.remember(keeper));
    }

    fn forget(&mut self) {
        self.first_mut().forget();
        self.rest.iter_mut().for_each(|system| system.forget());
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        let all = || self.first().is_ready_for(world) && self.rest.iter().all(|system| system.is_ready_for(world));
        self.world == Some(world) && all()
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if !self.is_ready_for(world) {
            // If one of them panics, the pipe is ready for no world.
            self.world = None;
            self.first_mut().prepare(store);
            self.rest.iter_mut().for_each(|system| system.prepare(store));
            self.unite();
            self.world = Some(world);
        }
    }

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<Out, ParamError> {
        (self.ran, self.came_to) = (0, 0);
        let mut cell = *cell;
        // SAFETY: the caller's promise: what the pipe borrows is what all borrow.
        let mut between = unsafe { self.first_mut().run_shared(input, &cell)? };
        cell.advance(self.first().ticks());
        for system in &mut self.rest {
            self.ran += 1;
            self.came_to += 1;
            // SAFETY: as above. Those before have finished, and what they returned borrows nothing of the world.
            between = unsafe { system.run_shared(between, &cell)? };
            cell.advance(system.ticks());
        }
        Ok(unboxed(between))
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<Out, ParamError> {
        self.prepare(store);
        (self.ran, self.came_to) = (0, 0);
        let mut between = self.first_mut().run_alone(input, store)?;
        for system in &mut self.rest {
            self.ran += 1;
            self.came_to += 1;
            between = system.run_alone(between, store)?;
        }
        Ok(unboxed(between))
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        // What the others recorded in a run that broke off is not wanted any more.
        let ran = core::mem::take(&mut self.ran);
        let rest = self.rest.iter_mut().take(ran).map(Some);
        let mut first = self.first.as_mut();
        for_each_until_all_had_their_turn(core::iter::once(None).chain(rest), |system| match system {
            None => first.take().into_iter().for_each(|first| first.apply_deferred(store)),
            // If a command of an earlier one has put another world in the place of this one, it sends its own home.
            Some(system) => system.apply_deferred(store),
        });
    }
}

/// The systems of a pipe; another system is the only one.
fn parts_of<I: SystemInput + 'static, Out: 'static>(mut system: BoxedSystem<I, Out>) -> Parts<I> {
    system.take_parts().unwrap_or_else(|| {
        let nesting = system.nesting();
        Parts { first: map(system, |value| -> Boxed { Box::new(value) }), rest: VecDeque::new(), nesting }
    })
}

/// The second system behind the first, without nesting either.
fn chain<I, Out, NextIn, NextOut>(
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
    // Nothing here goes through all systems: a pipe grows one by one.
    let (access, ticks) = (first.access().union(second.access()), first.ticks() + second.ticks());
    let Parts { first, mut rest, nesting } = parts_of(first);
    let Parts { first: next, rest: mut more, nesting: other } = parts_of(second);
    let next: BoxedSystem<In<Boxed>, Boxed> = Box::new(Fed { system: next, marker: PhantomData });
    if rest.len() < more.len() {
        more.push_front(next);
        rest.into_iter().rev().for_each(|system| more.push_front(system));
        rest = more;
    } else {
        rest.push_back(next);
        rest.append(&mut more);
    }
    let nesting = nesting.max(other);
    // Those of a chain are not nested in each other.
    let _ = nested(nesting);
    let (first, marker) = (Some(first), PhantomData::<fn() -> NextOut>);
    Box::new(Chain { name, first, rest, nesting, access, ticks, world: None, ran: 0, came_to: 0, marker })
}

/// A system that is given what another one returns.
///
/// # Panics
///
/// If one of them is nested too deeply.
pub(crate) fn pipe<I, Out, NextIn, NextOut>(
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
    if first.nesting().max(second.nesting()) < NESTED {
        nested_pipe(name, first, second)
    } else {
        chain(name, first, second)
    }
}
