//! Systems whose output goes through a function.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::{Any, TypeId};

use super::{joined, nested};
use crate::access::Access;
use crate::cell::StoreCell;
use crate::error::EcsError;
use crate::store::{Store, WorldId};
use crate::system::base::{BoxedSystem, ParamError, Seal, System};
use crate::system::input::{Given, SystemInput};
use crate::system::memory::Keeper;
use crate::system::output::SystemOutput;

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
    F: FnMut(Out) -> Result<NewOut, ParamError> + Send + Sync + 'static,
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

    unsafe fn run_shared(&mut self, input: Given<'_, I>, cell: &StoreCell<'_>) -> Result<NewOut, ParamError> {
        // SAFETY: the caller's promise.
        unsafe { self.system.run_shared(input, cell) }.and_then(&mut self.function)
    }

    fn run_alone(&mut self, input: Given<'_, I>, store: &mut Store) -> Result<NewOut, ParamError> {
        self.system.run_alone(input, store).and_then(&mut self.function)
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

pub(crate) fn map<I, Out, NewOut, F>(system: BoxedSystem<I, Out>, mut function: F) -> BoxedSystem<I, NewOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    F: FnMut(Out) -> NewOut + Send + Sync + 'static,
{
    try_map(system, move |out| Ok(function(out)))
}

fn try_map<I, Out, NewOut, F>(system: BoxedSystem<I, Out>, function: F) -> BoxedSystem<I, NewOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    F: FnMut(Out) -> Result<NewOut, ParamError> + Send + Sync + 'static,
{
    Box::new(Map { name: None, nesting: nested(system.nesting()), system, function })
}

/// A condition that may fail, as one that gives an answer or cannot run.
pub(crate) fn answering<I, E>(condition: BoxedSystem<I, Result<bool, E>>) -> BoxedSystem<I, bool>
where
    I: SystemInput + 'static,
    E: Into<EcsError> + 'static,
{
    try_map(condition, |answer| answer.map_err(|error| ParamError::returned(error.into())))
}

pub(crate) fn not<I: SystemInput + 'static>(condition: BoxedSystem<I, bool>) -> BoxedSystem<I, bool> {
    let name = Some(joined(&["not(", condition.name(), ")"]));
    let nesting = nested(condition.nesting());
    Box::new(Map { name, nesting, system: condition, function: |holds: bool| Ok(!holds) })
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
