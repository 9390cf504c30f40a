//! Systems made of others.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::{Any, TypeId};

use super::base::{BoxedSystem, ParamError, System};
use super::output::{BoxError, SystemOutput};
use super::param::add_rows;
use crate::access::Access;
use crate::cell::Cell;
use crate::store::{Store, WorldId};

/// Two systems that run as one, one after the other.
struct Pair<In, Out, NextIn, NextOut> {
    name: String,
    first: BoxedSystem<In, Out>,
    second: BoxedSystem<NextIn, NextOut>,
    /// What the two borrow.
    access: Access,
    /// The world that both have been initialised for.
    world: Option<WorldId>,
    /// Whether the second one has taken part in the last run.
    second_ran: bool,
}

impl<In: 'static, Out: 'static, NextIn: 'static, NextOut: 'static> Pair<In, Out, NextIn, NextOut> {
    fn new(name: String, first: BoxedSystem<In, Out>, second: BoxedSystem<NextIn, NextOut>) -> Self {
        let access = first.access().union(second.access());
        Self { name, first, second, access, world: None, second_ran: false }
    }

    fn initialize(&mut self, store: &mut Store) {
        if self.world != Some(store.id()) {
            self.first.initialize(store);
            self.second.initialize(store);
            self.access = self.first.access().union(self.second.access());
            self.world = Some(store.id());
        }
    }

    fn ticks(&self) -> u32 {
        self.first.ticks() + self.second.ticks()
    }

    /// The second one, which is about to run.
    fn second(&mut self) -> &mut BoxedSystem<NextIn, NextOut> {
        self.second_ran = true;
        &mut self.second
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.first.apply_deferred(store);
        // What it recorded in a run that broke off is not wanted any more.
        if core::mem::take(&mut self.second_ran) {
            self.second.apply_deferred(store);
        }
    }
}

/// What the first returns is given to the second.
struct Pipe<In, Out, NextOut>(Pair<In, Out, Out, NextOut>);

impl<In: 'static, Out: 'static, NextOut: 'static> System for Pipe<In, Out, NextOut> {
    type In = In;
    type Out = NextOut;

    fn name(&self) -> &str {
        &self.0.name
    }

    fn access(&self) -> &Access {
        &self.0.access
    }

    fn ticks(&self) -> u32 {
        self.0.ticks()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        add_rows(self.0.first.rows(store), self.0.second.rows(store))
    }

    fn initialize(&mut self, store: &mut Store) {
        self.0.initialize(store);
    }

    unsafe fn run_shared(&mut self, input: In, cell: Cell<'_>) -> Result<NextOut, ParamError> {
        self.0.second_ran = false;
        let ticks = self.0.first.ticks();
        // SAFETY: the caller's promise: what the pair borrows is what both borrow.
        let between = unsafe { self.0.first.run_shared(input, cell)? };
        // SAFETY: as above. The first has finished, and what it returned borrows nothing of the world.
        unsafe { self.0.second().run_shared(between, cell.later(ticks)) }
    }

    fn run_alone(&mut self, input: In, store: &mut Store) -> Result<NextOut, ParamError> {
        self.initialize(store);
        self.0.second_ran = false;
        let between = self.0.first.run_alone(input, store)?;
        self.0.second().run_alone(between, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.0.apply_deferred(store);
    }
}

pub(crate) fn pipe<In: 'static, Out: 'static, NextOut: 'static>(
    first: BoxedSystem<In, Out>,
    second: BoxedSystem<Out, NextOut>,
) -> BoxedSystem<In, NextOut> {
    let name = alloc::format!("{}.pipe({})", first.name(), second.name());
    Box::new(Pipe(Pair::new(name, first, second)))
}

/// The second is asked only if the first does not decide.
struct Either {
    pair: Pair<(), bool, (), bool>,
    /// What the first has to say to decide.
    decides: bool,
}

impl System for Either {
    type In = ();
    type Out = bool;

    fn name(&self) -> &str {
        &self.pair.name
    }

    fn access(&self) -> &Access {
        &self.pair.access
    }

    fn ticks(&self) -> u32 {
        self.pair.ticks()
    }

    fn initialize(&mut self, store: &mut Store) {
        self.pair.initialize(store);
    }

    unsafe fn run_shared(&mut self, (): (), cell: Cell<'_>) -> Result<bool, ParamError> {
        self.pair.second_ran = false;
        let ticks = self.pair.first.ticks();
        // SAFETY: the caller's promise: what the pair borrows is what both borrow.
        let first = unsafe { self.pair.first.run_shared((), cell)? };
        if first == self.decides {
            return Ok(first);
        }
        // SAFETY: as above; the first has finished.
        unsafe { self.pair.second().run_shared((), cell.later(ticks)) }
    }

    fn run_alone(&mut self, (): (), store: &mut Store) -> Result<bool, ParamError> {
        self.initialize(store);
        self.pair.second_ran = false;
        let first = self.pair.first.run_alone((), store)?;
        if first == self.decides { Ok(first) } else { self.pair.second().run_alone((), store) }
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.pair.apply_deferred(store);
    }
}

pub(crate) fn and(first: BoxedSystem<(), bool>, second: BoxedSystem<(), bool>) -> BoxedSystem<(), bool> {
    let name = alloc::format!("{}.and({})", first.name(), second.name());
    Box::new(Either { pair: Pair::new(name, first, second), decides: false })
}

pub(crate) fn or(first: BoxedSystem<(), bool>, second: BoxedSystem<(), bool>) -> BoxedSystem<(), bool> {
    let name = alloc::format!("{}.or({})", first.name(), second.name());
    Box::new(Either { pair: Pair::new(name, first, second), decides: true })
}

/// What the system returns goes through a function.
struct Map<In, Out, F> {
    /// Its own, if it is not that of the system.
    name: Option<String>,
    system: BoxedSystem<In, Out>,
    function: F,
}

impl<In, Out, NewOut, F> System for Map<In, Out, F>
where
    In: 'static,
    Out: 'static,
    F: FnMut(Out) -> NewOut + Send + Sync + 'static,
{
    type In = In;
    type Out = NewOut;

    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(self.system.name())
    }

    fn access(&self) -> &Access {
        self.system.access()
    }

    fn function(&self) -> Option<TypeId> {
        // What it returns is another thing, but it is the same function that runs.
        self.system.function()
    }

    fn ticks(&self) -> u32 {
        self.system.ticks()
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        self.system.conditions()
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.system.unmet_condition()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn initialize(&mut self, store: &mut Store) {
        self.system.initialize(store);
    }

    unsafe fn run_shared(&mut self, input: In, cell: Cell<'_>) -> Result<NewOut, ParamError> {
        // SAFETY: the caller's promise.
        unsafe { self.system.run_shared(input, cell) }.map(&mut self.function)
    }

    fn run_alone(&mut self, input: In, store: &mut Store) -> Result<NewOut, ParamError> {
        self.system.run_alone(input, store).map(&mut self.function)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

pub(crate) fn map<In, Out, NewOut, F>(system: BoxedSystem<In, Out>, function: F) -> BoxedSystem<In, NewOut>
where
    In: 'static,
    Out: 'static,
    F: FnMut(Out) -> NewOut + Send + Sync + 'static,
{
    Box::new(Map { name: None, system, function })
}

pub(crate) fn not(condition: BoxedSystem<(), bool>) -> BoxedSystem<(), bool> {
    let name = Some(alloc::format!("not({})", condition.name()));
    Box::new(Map { name, system: condition, function: |holds: bool| !holds })
}

/// The system, with an output that says whether it went well. Costs another call, unless it has that output already.
pub(crate) fn fallible<In: 'static, Out: SystemOutput>(
    system: BoxedSystem<In, Out>,
) -> BoxedSystem<In, Result<(), BoxError>> {
    let mut same = Some(system);
    let any: &mut dyn Any = &mut same;
    if let Some(same) = any.downcast_mut::<Option<BoxedSystem<In, Result<(), BoxError>>>>().and_then(Option::take) {
        return same;
    }
    match same {
        Some(system) => map(system, SystemOutput::into_result),
        None => unreachable!("it was taken above only where that returned"),
    }
}

/// What stands for the output of a system that was not run.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a system with `run_if` returns `()` or `Result<(), E>`, not `{Self}`",
    label = "there is no such value for a run that is left out"
)]
pub trait Skipped: 'static {
    fn skipped() -> Self;
}

impl Skipped for () {
    fn skipped() -> Self {}
}

impl<E: 'static> Skipped for Result<(), E> {
    fn skipped() -> Self {
        Ok(())
    }
}

/// A system that is run only if all conditions hold. All are asked, whatever the others say, so that each sees every run.
struct OnlyIf<In, Out> {
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<In, Out>,
    /// What all of them borrow.
    access: Access,
    /// The world that all have been initialised for.
    world: Option<WorldId>,
    /// Whether the system has taken part in the last run.
    ran: bool,
    /// The first condition that did not hold in the last run.
    unmet: Option<usize>,
    /// The output where it has not.
    skipped: fn() -> Out,
}

impl<In: 'static, Out: 'static> OnlyIf<In, Out> {
    fn unite(&self) -> Access {
        self.conditions.iter().fold(self.system.access().clone(), |all, condition| all.union(condition.access()))
    }
}

impl<In: 'static, Out: 'static> System for OnlyIf<In, Out> {
    type In = In;
    type Out = Out;

    fn name(&self) -> &str {
        self.system.name()
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn function(&self) -> Option<TypeId> {
        self.system.function()
    }

    fn ticks(&self) -> u32 {
        self.conditions.iter().map(|condition| condition.ticks()).sum::<u32>() + self.system.ticks()
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        &self.conditions
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.unmet
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn initialize(&mut self, store: &mut Store) {
        if self.world != Some(store.id()) {
            for condition in &mut self.conditions {
                condition.initialize(store);
                assert!(
                    condition.access().is_read_only(),
                    "condition `{}` can change the world: a condition may only read",
                    condition.name()
                );
            }
            self.system.initialize(store);
            self.access = self.unite();
            self.world = Some(store.id());
        }
    }

    unsafe fn run_shared(&mut self, input: In, cell: Cell<'_>) -> Result<Out, ParamError> {
        (self.ran, self.unmet) = (false, None);
        let mut cell = cell;
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            // SAFETY: the caller's promise: what is borrowed is what all borrow. Those before have finished.
            if !unsafe { condition.run_shared((), cell)? } {
                self.unmet.get_or_insert(number);
            }
            cell = cell.later(condition.ticks());
        }
        if self.unmet.is_some() {
            return Ok((self.skipped)());
        }
        self.ran = true;
        // SAFETY: as above; the conditions have finished.
        unsafe { self.system.run_shared(input, cell) }
    }

    fn run_alone(&mut self, input: In, store: &mut Store) -> Result<Out, ParamError> {
        self.initialize(store);
        (self.ran, self.unmet) = (false, None);
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            if !condition.run_alone((), store)? {
                self.unmet.get_or_insert(number);
            }
        }
        if self.unmet.is_some() {
            return Ok((self.skipped)());
        }
        self.ran = true;
        self.system.run_alone(input, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        // What it recorded in a run that broke off is not wanted any more.
        if core::mem::take(&mut self.ran) {
            self.system.apply_deferred(store);
        }
    }
}

pub(crate) fn only_if<In: 'static, Out: 'static>(
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<In, Out>,
    skipped: fn() -> Out,
) -> BoxedSystem<In, Out> {
    let mut all =
        OnlyIf { conditions, system, access: Access::default(), world: None, ran: false, unmet: None, skipped };
    all.access = all.unite();
    Box::new(all)
}
