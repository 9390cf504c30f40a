//! Systems made of others.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::{Any, TypeId};

use super::base::{BoxedSystem, ParamError, Seal, System};
use super::error::EcsError;
use super::input::{Given, SystemInput};
use super::output::SystemOutput;
use super::param::add_rows;
use crate::access::Access;
use crate::cell::StoreCell;
use crate::guard::for_each_until_all_had_their_turn;
use crate::store::{Store, WorldId};

/// How deep systems may be nested in each other: each level takes a part of the stack when they run. A pipe of any length is no
/// deeper than a short one.
const DEPTH: u32 = 500;

/// How deep something is nested that has such things inside.
///
/// # Panics
///
/// If that is too deep.
pub(super) fn nested(inside: u32) -> u32 {
    assert!(inside < DEPTH, "systems and conditions cannot be nested more than {DEPTH} deep");
    inside + 1
}

/// Names with more bytes than this are cut: those of many systems in one would be as long as all names together.
const NAME: usize = 1000;

/// Parts of a name, one behind the other.
pub(super) fn joined(parts: &[&str]) -> String {
    let mut name = String::new();
    for part in parts {
        let room = NAME - name.len();
        if part.len() > room {
            let end = (0..=room).rev().find(|end| part.is_char_boundary(*end)).unwrap_or(0);
            name.push_str(&part[..end]);
            name.push_str("..");
            break;
        }
        name.push_str(part);
    }
    name
}

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
pub(super) fn nested_pipe<I, Out, NextIn, NextOut>(
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
pub(crate) fn holds(answer: Result<bool, ParamError>) -> Result<bool, ParamError> {
    match answer {
        Err(error) if error.is_skip() => Ok(false),
        other => other,
    }
}

/// How the answers of two conditions become one.
pub(super) struct Rule {
    /// As in `a.name(b)`.
    pub(super) name: &'static str,
    /// The answer of the first one with which the second is not asked. It counts for both then.
    pub(super) decides: Option<bool>,
    pub(super) outcome: fn(bool, bool) -> bool,
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

pub(super) fn both<I: for<'i> SystemInput<Inner<'i>: Copy> + 'static>(
    rule: Rule,
    first: BoxedSystem<I, bool>,
    second: BoxedSystem<I, bool>,
) -> BoxedSystem<I, bool> {
    let name = joined(&[first.name(), ".", rule.name, "(", second.name(), ")"]);
    Box::new(Both { pair: Pair::new(name, first, second), rule })
}

/// What the system returns goes through a function.
struct Map<I: SystemInput, Out, F> {
    /// Its own, if it is not that of the system.
    name: Option<String>,
    /// How deep systems are nested in it.
    nesting: u32,
    system: BoxedSystem<I, Out>,
    function: F,
}

impl<I, Out, NewOut, F> System for Map<I, Out, F>
where
    I: SystemInput + 'static,
    Out: 'static,
    F: FnMut(Out) -> NewOut + Send + Sync + 'static,
{
    fn seal(_: Seal) {}

    type In = I;
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

    fn nesting(&self) -> u32 {
        self.nesting
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        self.system.conditions()
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.system.unmet_condition()
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.system.skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.system.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        self.system.prepare(store);
    }

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<NewOut, ParamError> {
        // SAFETY: the caller's promise.
        unsafe { self.system.run_shared(input, cell) }.map(&mut self.function)
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<NewOut, ParamError> {
        self.system.run_alone(input, store).map(&mut self.function)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

pub(crate) fn map<I, Out, NewOut, F>(system: BoxedSystem<I, Out>, function: F) -> BoxedSystem<I, NewOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    F: FnMut(Out) -> NewOut + Send + Sync + 'static,
{
    Box::new(Map { name: None, nesting: nested(system.nesting()), system, function })
}

pub(crate) fn not<I: SystemInput + 'static>(condition: BoxedSystem<I, bool>) -> BoxedSystem<I, bool> {
    let name = Some(joined(&["not(", condition.name(), ")"]));
    let nesting = nested(condition.nesting());
    Box::new(Map { name, nesting, system: condition, function: |holds: bool| !holds })
}

/// The system, with an output that says whether it went well. Costs another call, unless it has that output already.
pub(crate) fn fallible<In: SystemInput + 'static, Out: SystemOutput>(
    system: BoxedSystem<In, Out>,
) -> BoxedSystem<In, Result<(), EcsError>> {
    let mut same = Some(system);
    let any: &mut dyn Any = &mut same;
    if let Some(same) = any.downcast_mut::<Option<BoxedSystem<In, Result<(), EcsError>>>>().and_then(Option::take) {
        return same;
    }
    match same {
        Some(system) => map(system, SystemOutput::into_result),
        None => unreachable!("it was taken above only where that returned"),
    }
}

/// The system, whose function returns nothing, without the output that says so.
///
/// # Panics
///
/// When it runs, if the output says something else.
#[must_use]
pub fn infallible<In: SystemInput + 'static>(system: BoxedSystem<In, Result<(), EcsError>>) -> BoxedSystem<In, ()> {
    map(system, |outcome| outcome.unwrap_or_else(|error| panic!("a function without a result has failed: {error}")))
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
struct OnlyIf<I: SystemInput, Out> {
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<I, Out>,
    /// How deep systems are nested in it.
    nesting: u32,
    /// What all of them borrow.
    access: Access,
    /// The world of which the access tells. Whether all are ready for it they know themselves.
    world: Option<WorldId>,
    /// Whether the system has taken part in the last run.
    ran: bool,
    /// The first condition that did not hold in the last run.
    unmet: Option<usize>,
    /// The output where it has not.
    skipped: fn() -> Out,
}

impl<I: SystemInput + 'static, Out: 'static> OnlyIf<I, Out> {
    fn unite(&self) -> Access {
        self.conditions.iter().fold(self.system.access().clone(), |all, condition| all.union(condition.access()))
    }
}

impl<I: SystemInput + 'static, Out: 'static> System for OnlyIf<I, Out> {
    fn seal(_: Seal) {}

    type In = I;
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

    fn nesting(&self) -> u32 {
        self.nesting
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        &self.conditions
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.unmet
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.system.skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        self.world == Some(world)
            && self.conditions.iter().all(|condition| condition.is_ready_for(world))
            && self.system.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if !self.is_ready_for(world) {
            // If one of them panics, they are ready for no world.
            self.world = None;
            for condition in &mut self.conditions {
                condition.prepare(store);
                assert!(
                    condition.access().is_read_only(),
                    "condition `{}` can change the world: a condition may only read",
                    condition.name()
                );
            }
            self.system.prepare(store);
            self.access = self.unite();
            self.world = Some(world);
        }
    }

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<Out, ParamError> {
        (self.ran, self.unmet) = (false, None);
        let mut cell = *cell;
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            // SAFETY: the caller's promise: what is borrowed is what all borrow. Those before have finished.
            if !holds(unsafe { condition.run_shared((), &cell) })? {
                self.unmet.get_or_insert(number);
            }
            cell.advance(condition.ticks());
        }
        if self.unmet.is_some() {
            return Ok((self.skipped)());
        }
        self.ran = true;
        // SAFETY: as above; the conditions have finished.
        unsafe { self.system.run_shared(input, &cell) }
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<Out, ParamError> {
        self.prepare(store);
        (self.ran, self.unmet) = (false, None);
        for (number, condition) in self.conditions.iter_mut().enumerate() {
            if !holds(condition.run_alone((), store))? {
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

pub(crate) fn only_if<I: SystemInput + 'static, Out: 'static>(
    conditions: Box<[BoxedSystem<(), bool>]>,
    system: BoxedSystem<I, Out>,
    skipped: fn() -> Out,
) -> BoxedSystem<I, Out> {
    let inside = conditions.iter().map(|condition| condition.nesting()).fold(system.nesting(), u32::max);
    let (nesting, access) = (nested(inside), Access::default());
    let mut all = OnlyIf { conditions, system, nesting, access, world: None, ran: false, unmet: None, skipped };
    all.access = all.unite();
    Box::new(all)
}

/// What the system is given: a value, or how it is made of a world.
enum Held<T> {
    Value(T),
    MadeBy(fn(&mut Store) -> T, Option<(WorldId, T)>),
}

/// A system that is given a value which it keeps.
struct WithInput<I: SystemInput, Out, T> {
    system: BoxedSystem<I, Out>,
    held: Held<T>,
}

impl<I, Out, T> WithInput<I, Out, T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    fn parts(&mut self) -> (&mut BoxedSystem<I, Out>, &mut T) {
        match &mut self.held {
            Held::Value(value) | Held::MadeBy(_, Some((_, value))) => (&mut self.system, value),
            Held::MadeBy(_, None) => panic!("system `{}` was not initialised", self.system.name()),
        }
    }
}

impl<I, Out, T> System for WithInput<I, Out, T>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    fn seal(_: Seal) {}

    type In = ();
    type Out = Out;

    fn name(&self) -> &str {
        self.system.name()
    }

    fn access(&self) -> &Access {
        self.system.access()
    }

    fn function(&self) -> Option<TypeId> {
        self.system.function()
    }

    fn ticks(&self) -> u32 {
        self.system.ticks()
    }

    fn nesting(&self) -> u32 {
        self.system.nesting() + 1
    }

    fn conditions(&self) -> &[BoxedSystem<(), bool>] {
        self.system.conditions()
    }

    fn unmet_condition(&self) -> Option<usize> {
        self.system.unmet_condition()
    }

    fn skipped_by(&self) -> Option<&ParamError> {
        self.system.skipped_by()
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn is_ready_for(&self, world: WorldId) -> bool {
        let has_value = match &self.held {
            Held::Value(_) => true,
            Held::MadeBy(_, made) => made.as_ref().is_some_and(|(of, _)| *of == world),
        };
        has_value && self.system.is_ready_for(world)
    }

    fn prepare(&mut self, store: &mut Store) {
        let world = store.id();
        if let Held::MadeBy(make, made) = &mut self.held
            && made.as_ref().is_none_or(|(of, _)| *of != world)
        {
            // If it cannot be made, or its `Drop` panics, there is none.
            drop(made.take());
            let value = make(store);
            assert!(world == store.id(), "system `{}`: its input has replaced the world", self.system.name());
            *made = Some((world, value));
        }
        self.system.prepare(store);
    }

    unsafe fn run_shared(&mut self, (): (), cell: &StoreCell<'_>) -> Result<Out, ParamError> {
        let (system, value) = self.parts();
        // SAFETY: the caller's promise. The value is no part of the store.
        unsafe { system.run_shared(value, cell) }
    }

    fn run_alone(&mut self, (): (), store: &mut Store) -> Result<Out, ParamError> {
        self.prepare(store);
        let (system, value) = self.parts();
        system.run_alone(value, store)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

pub(super) fn with_input<I, Out, T>(system: BoxedSystem<I, Out>, value: T) -> BoxedSystem<(), Out>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    Box::new(WithInput { system, held: Held::Value(value) })
}

pub(super) fn with_input_from<I, Out, T>(system: BoxedSystem<I, Out>, make: fn(&mut Store) -> T) -> BoxedSystem<(), Out>
where
    I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
    Out: 'static,
    T: Send + Sync + 'static,
{
    Box::new(WithInput { system, held: Held::MadeBy(make, None) })
}
