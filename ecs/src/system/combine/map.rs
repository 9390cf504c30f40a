//! Systems that run inside another system, such as one that maps their output.
//!
//! Tests: tests/systems/conditions.rs, tests/systems/params/inputs.rs

use alloc::boxed::Box;
use alloc::string::String;
use core::any::Any;

use super::{joined, nested};
use crate::structure::store::Store;
use crate::system::base::{BoxedSystem, RunScope, System, SystemCore, SystemFacts};
use crate::system::input::{InputItem, SystemInput};
use crate::system::memory::StateVisitor;
use crate::system::output::SystemOutput;
use crate::system::param_error::ParamError;
use crate::util::error::EcsError;

/// Defines how a system runs inside another one: whether it runs, with which input, and how its output is used.
pub(in crate::system) trait Wrap<I: SystemInput, Out>: Send + Sync + 'static {
    /// The input of the outer system.
    type In: SystemInput;
    /// The output of the outer system.
    type Out;

    /// Calls `run` to run the inner system. `outer` is the name of the outer system.
    fn wrap(
        &mut self,
        outer: &str,
        input: InputItem<'_, Self::In>,
        run: impl FnOnce(InputItem<'_, I>) -> Result<Out, ParamError>,
    ) -> Result<Self::Out, ParamError>;

    /// Prepares the state of the outer system for a world, before the inner system is prepared. `name` is the name of the inner
    /// system.
    fn prepare(&mut self, name: &str, store: &mut Store) {
        let _ = (name, store);
    }

    /// Visits the state that the outer system keeps from run to run.
    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        let _ = keeper;
    }
}

/// Maps the output of a system with a function.
struct OfOutput<F>(F);

impl<I, Out, NewOut, F> Wrap<I, Out> for OfOutput<F>
where
    I: SystemInput,
    F: FnMut(Out) -> Result<NewOut, ParamError> + Send + Sync + 'static,
{
    type In = I;
    type Out = NewOut;

    #[inline]
    fn wrap(
        &mut self,
        _: &str,
        input: InputItem<'_, I>,
        run: impl FnOnce(InputItem<'_, I>) -> Result<Out, ParamError>,
    ) -> Result<NewOut, ParamError> {
        run(input).and_then(&mut self.0)
    }
}

/// An outer system with the system that runs inside of it.
struct WrappedSystem<W, I: SystemInput, Out> {
    /// The name of the outer system, if it differs from the name of the inner one.
    name: Option<String>,
    /// The number of levels of systems that are nested in this system.
    nesting: u32,
    system: BoxedSystem<I, Out>,
    wrap: W,
}

impl<W, I, Out> SystemCore for WrappedSystem<W, I, Out>
where
    W: Wrap<I, Out>,
    I: SystemInput + 'static,
    Out: 'static,
{
    fn facts(&self) -> SystemFacts<'_> {
        // The same function runs and only its output differs, so the facts that are not set here are those of the inner system.
        let facts = self.system.facts();
        let name = self.name.as_deref().unwrap_or(facts.name);
        SystemFacts { name, nesting: self.nesting, row_facts: None, ..facts }
    }

    fn rows(&self, store: &Store) -> Option<usize> {
        self.system.rows(store)
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        self.system.visit_state(keeper);
        self.wrap.visit_state(keeper);
    }

    fn prepare(&mut self, store: &mut Store) {
        self.wrap.prepare(self.system.name(), store);
        self.system.prepare(store);
    }

    fn apply_deferred(&mut self, store: &mut Store) {
        self.system.apply_deferred(store);
    }
}

impl<W, I, Out> System for WrappedSystem<W, I, Out>
where
    W: Wrap<I, Out>,
    I: SystemInput + 'static,
    Out: 'static,
{
    type In = W::In;
    type Out = W::Out;

    fn run_in(&mut self, input: InputItem<'_, W::In>, mut scope: RunScope<'_, '_>) -> Result<W::Out, ParamError> {
        if let Some(store) = scope.store() {
            self.prepare(store);
        }
        let Self { name, system, wrap, .. } = self;
        let name = name.as_deref().unwrap_or_default();
        let out = wrap.wrap(name, input, |input| scope.run(&mut **system, 0, input));
        // The wrapper may skip the inner run, so the commands are applied here and not by the inner run.
        if let RunScope::Applied(store) = scope {
            system.apply_deferred(store);
        }
        out
    }
}

pub(in crate::system) fn map<I, Out, NewOut, F>(system: BoxedSystem<I, Out>, mut function: F) -> BoxedSystem<I, NewOut>
where
    I: SystemInput + 'static,
    Out: 'static,
    F: FnMut(Out) -> NewOut + Send + Sync + 'static,
{
    wrap(None, OfOutput(move |out| Ok(function(out))), system)
}

/// Returns a system that runs inside another one. If `name` is `None`, the outer system has the name of the inner one.
pub(in crate::system) fn wrap<W, I, Out>(
    name: Option<String>,
    wrap: W,
    system: BoxedSystem<I, Out>,
) -> BoxedSystem<W::In, W::Out>
where
    W: Wrap<I, Out>,
    I: SystemInput + 'static,
    Out: 'static,
{
    Box::new(WrappedSystem { name, nesting: nested(system.facts().nesting), system, wrap })
}

/// Converts a condition that may fail into one that returns `bool`. If the original condition fails, the new one cannot run.
pub(in crate::system) fn answering<I, E>(condition: BoxedSystem<I, Result<bool, E>>) -> BoxedSystem<I, bool>
where
    I: SystemInput + 'static,
    E: Into<EcsError> + 'static,
{
    wrap(None, OfOutput(|answer: Result<_, E>| answer.map_err(|error| ParamError::returned(error.into()))), condition)
}

pub(in crate::system) fn not<I: SystemInput + 'static>(condition: BoxedSystem<I, bool>) -> BoxedSystem<I, bool> {
    let name = Some(joined(&["not(", condition.name(), ")"]));
    wrap(name, OfOutput(|holds: bool| Ok(!holds)), condition)
}

/// Maps the output of the system to a `Result`. This costs another call per run, unless the output already is such a `Result`.
pub(in crate::system) fn fallible<In: SystemInput + 'static, Out: SystemOutput>(
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

/// Drops the `Result` from the output of a system whose function returns nothing.
///
/// # Panics
///
/// The returned system panics if the output is an error.
#[must_use]
pub fn infallible<In: SystemInput + 'static>(system: BoxedSystem<In, Result<(), EcsError>>) -> BoxedSystem<In, ()> {
    map(system, |outcome| outcome.unwrap_or_else(|error| panic!("a function without a result has failed: {error}")))
}
