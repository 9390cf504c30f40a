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

use super::base::{
    AloneScope, Boxed, BoxedSystem, Composite, ParamError, PipeParts, RunScope, SharedScope, System, SystemCore,
    SystemFacts, SystemParts,
};
use super::combine::{joined, map, nested, nested_pipe};
use super::input::{Given, In, SystemInput};
use super::memory::Keeper;
use super::param::add_rows;
use crate::access::Access;
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

impl<I, Mid> SystemCore for Fed<I, Mid>
where
    I: for<'i> SystemInput<Inner<'i> = Mid> + 'static,
    Mid: 'static,
{
    fn facts(&self) -> SystemFacts<'_> {
        self.system.facts()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn visit_state(&mut self, keeper: &mut Keeper<'_>) {
        self.system.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        self.system.prepare(store);
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

impl<I, Mid> System for Fed<I, Mid>
where
    I: for<'i> SystemInput<Inner<'i> = Mid> + 'static,
    Mid: 'static,
{
    type In = In<Boxed>;
    type Out = Boxed;

    fn run_shared(&mut self, input: Boxed, scope: SharedScope<'_, '_>) -> Result<Boxed, ParamError> {
        self.system.run_shared(unboxed(input), scope)
    }

    fn run_alone(&mut self, input: Boxed, scope: AloneScope<'_>) -> Result<Boxed, ParamError> {
        self.system.run_alone(unboxed(input), scope)
    }
}

/// A pipe of many systems.
struct Chain<I: SystemInput, Out> {
    name: String,
    /// `None` after the systems have been taken. The pipe is dropped then.
    parts: Option<PipeParts<I>>,
    /// What all borrow.
    access: Access,
    ticks: u32,
    /// The world for which all systems are prepared.
    world: Option<WorldId>,
    /// How many of those after the first have taken part in the last run, and are to apply their commands.
    ran: usize,
    /// How many of those after the first the last run has come to.
    came_to: usize,
    marker: PhantomData<fn() -> Out>,
}

impl<I: SystemInput + 'static, Out: 'static> Chain<I, Out> {
    fn parts(&self) -> &PipeParts<I> {
        let Some(parts) = &self.parts else { unreachable!("a pipe that was taken apart is dropped") };
        parts
    }

    /// Calls a function for each system.
    fn for_each(&mut self, mut each: impl FnMut(&mut dyn SystemCore)) {
        if let Some(PipeParts { first, rest, .. }) = &mut self.parts {
            each(&mut **first);
            rest.iter_mut().for_each(|system| each(&mut **system));
        }
    }
}

impl<I: SystemInput + 'static, Out: 'static> SystemCore for Chain<I, Out> {
    fn facts(&self) -> SystemFacts<'_> {
        let PipeParts { first, rest, nesting } = self.parts();
        let skipped_by = match self.came_to.checked_sub(1) {
            Some(at) => rest.get(at).and_then(|system| system.facts().skipped_by),
            None => first.facts().skipped_by,
        };
        let nesting = (nesting + 1).max(NESTED);
        SystemFacts { skipped_by, ..SystemFacts::of_several(&self.name, &self.access, self.ticks, nesting) }
    }

    fn parts_mut(&mut self) -> SystemParts<'_> {
        SystemParts { meta: None, pipe: Some(&mut self.parts) }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        let PipeParts { first, rest, .. } = self.parts();
        rest.iter().map(|system| system.rows(store)).fold(first.rows(store), add_rows)
    }

    fn visit_state(&mut self, keeper: &mut Keeper<'_>) {
        if keeper.resets() {
            self.world = None;
        }
        self.for_each(|system| system.visit_state(keeper));
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if self.world != Some(world) {
            // If one of them panics, the pipe is prepared for no world.
            self.world = None;
            self.for_each(|system| system.prepare(store));
            let PipeParts { first, rest, .. } = self.parts();
            let rest = rest.iter().map(|system| system.access());
            self.access = Access::union_of(core::iter::once(first.access()).chain(rest));
            self.world = Some(world);
        }
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        // What the others recorded in a run that broke off is not wanted any more.
        let ran = core::mem::take(&mut self.ran);
        let Some(PipeParts { first, rest, .. }) = &mut self.parts else { return };
        let first: &mut dyn SystemCore = &mut **first;
        let rest = rest.iter_mut().take(ran).map(|system| -> &mut dyn SystemCore { &mut **system });
        // If a command of an earlier one has put another world in the place of this one, the next one sends its own home.
        for_each_until_all_had_their_turn(core::iter::once(first).chain(rest), |system| system.apply_deferred(store));
    }
}

impl<I: SystemInput + 'static, Out: 'static> System for Chain<I, Out> {
    type In = I;
    type Out = Out;

    fn run_shared(&mut self, input: Given<'_, I>, scope: SharedScope<'_, '_>) -> Result<Out, ParamError> {
        self.run_all(input, &mut RunScope::Shared(scope))
    }

    fn run_alone(&mut self, input: Given<'_, I>, scope: AloneScope<'_>) -> Result<Out, ParamError> {
        self.run_all_alone(input, scope)
    }
}

impl<I: SystemInput + 'static, Out: 'static> Composite for Chain<I, Out> {
    fn world(&mut self) -> &mut Option<WorldId> {
        &mut self.world
    }

    fn run_all(&mut self, input: Given<'_, I>, scope: &mut RunScope<'_, '_>) -> Result<Out, ParamError> {
        (self.ran, self.came_to) = (0, 0);
        let Some(PipeParts { first, rest, .. }) = &mut self.parts else {
            unreachable!("a pipe that was taken apart is dropped")
        };
        let mut between = scope.run(&mut **first, 0, input)?;
        let mut ticks = first.facts().ticks;
        for system in rest {
            self.ran += 1;
            self.came_to += 1;
            between = scope.run(&mut **system, ticks, between)?;
            ticks += system.facts().ticks;
        }
        Ok(unboxed(between))
    }
}

/// The systems of a pipe; another system is the only one.
fn parts_of<I: SystemInput + 'static, Out: 'static>(mut system: BoxedSystem<I, Out>) -> PipeParts<I> {
    let parts = system.parts_mut().pipe.and_then(|parts| parts.downcast_mut::<Option<PipeParts<I>>>());
    parts.and_then(Option::take).unwrap_or_else(|| {
        let nesting = system.facts().nesting;
        PipeParts { first: map(system, |value| -> Boxed { Box::new(value) }), rest: VecDeque::new(), nesting }
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
    let (of_first, of_second) = (first.facts(), second.facts());
    let (access, ticks) = (of_first.access.union(of_second.access), of_first.ticks + of_second.ticks);
    let PipeParts { first, mut rest, nesting } = parts_of(first);
    let PipeParts { first: next, rest: mut more, nesting: other } = parts_of(second);
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
    let (parts, marker) = (Some(PipeParts { first, rest, nesting }), PhantomData::<fn() -> NextOut>);
    Box::new(Chain { name, parts, access, ticks, world: None, ran: 0, came_to: 0, marker })
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
    if first.facts().nesting.max(second.facts().nesting) < NESTED {
        nested_pipe(name, first, second)
    } else {
        chain(name, first, second)
    }
}
