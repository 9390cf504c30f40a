//! Systems that a program combines or adapts with its own code.
//!
//! Tests: tests/systems/combined.rs

use alloc::boxed::Box;
use alloc::string::String;
use core::marker::PhantomData;

use super::joined;
use super::map::{Wrap, wrap};
use super::pair::{Join, PairRun, pair};
use crate::system::base::{BoxedSystem, System, SystemIn};
use crate::system::input::{InputItem, SystemInput};
use crate::system::param_error::{ParamError, RunSystemError};

/// Defines how a [`CombinatorSystem`] combines two systems.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{CombinatorSystem, Combine, RunSystemError};
///
/// /// The sum of what both return.
/// struct Sum;
///
/// impl<A: System<In = (), Out = u32>, B: System<In = (), Out = u32>> Combine<A, B> for Sum {
///     type In = ();
///     type Out = u32;
///
///     fn combine<T>(
///         _: (),
///         data: &mut T,
///         a: impl FnOnce((), &mut T) -> Result<u32, RunSystemError>,
///         b: impl FnOnce((), &mut T) -> Result<u32, RunSystemError>,
///     ) -> Result<u32, RunSystemError> {
///         Ok(a((), data)? + b((), data)?)
///     }
/// }
///
/// let [one, two] = [1, 2].map(|number| IntoSystem::into_system(move || number));
/// let sum = CombinatorSystem::<Sum, _, _>::new(one, two, "sum".into());
/// assert_eq!(World::new().run_system_once(sum).unwrap(), 3);
/// ```
pub trait Combine<A: System, B: System> {
    /// The input of the combined system.
    type In: SystemInput;
    /// The output of the combined system.
    type Out;

    /// Runs the systems by calling `a` and `b`, passes `data` to each of them, and returns the combined output.
    ///
    /// Either system may run first, or not at all. After the combined system has finished, the commands of the systems that ran are
    /// applied: first those of `A`, then those of `B`.
    ///
    /// # Errors
    ///
    /// If the combined system could not run. `a` and `b` return an error if a parameter of their system cannot be fetched.
    fn combine<T>(
        input: <Self::In as SystemInput>::Inner<'_>,
        data: &mut T,
        a: impl FnOnce(SystemIn<'_, A>, &mut T) -> Result<A::Out, RunSystemError>,
        b: impl FnOnce(SystemIn<'_, B>, &mut T) -> Result<B::Out, RunSystemError>,
    ) -> Result<Self::Out, RunSystemError>;
}

/// Combines two systems as defined by a [`Combine`].
pub struct CombinatorSystem<Func, A, B>(PhantomData<fn() -> (Func, A, B)>);

impl<Func, A, B> CombinatorSystem<Func, A, B>
where
    Func: Combine<A, B> + 'static,
    A: System,
    B: System,
{
    /// Returns a system with this name that runs the two systems.
    #[must_use]
    #[expect(clippy::new_ret_no_self, reason = "systems that are made of others are boxed, and bevy_ecs has this name")]
    pub fn new(a: A, b: B, name: String) -> BoxedSystem<Func::In, Func::Out> {
        pair(joined(&[&name]), CombineJoin::<Func>(PhantomData), a, b)
    }
}

impl_debug!([Func, A, B] CombinatorSystem<Func, A, B> => |_this, f| f.write_str("CombinatorSystem"));

/// Joins systems as defined by a [`Combine`].
struct CombineJoin<Func>(PhantomData<fn() -> Func>);

impl<Func, A, B> Join<A, B> for CombineJoin<Func>
where
    Func: Combine<A, B> + 'static,
    A: System,
    B: System,
{
    type In = Func::In;
    type Out = Func::Out;

    const REPORTS: bool = true;

    fn join(
        &self,
        input: InputItem<'_, Func::In>,
        run: &mut PairRun<'_, '_, '_, A, B>,
    ) -> Result<Func::Out, ParamError> {
        let name = run.name;
        let named = |error| RunSystemError::new(name, error);
        let out = Func::combine(
            input,
            run,
            |input, run| run.first(input).map_err(named),
            |input, run| run.second(input).map_err(named),
        );
        out.map_err(RunSystemError::into_param_error)
    }
}

/// Defines how an [`AdapterSystem`] runs a system.
///
/// ```
/// use std::ops::Not;
///
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{Adapt, AdapterSystem, RunSystemError, SystemIn, SystemInput};
///
/// struct Negated;
///
/// impl<S: System<Out: Not>> Adapt<S> for Negated {
///     type In = S::In;
///     type Out = <S::Out as Not>::Output;
///
///     fn adapt(
///         &mut self,
///         input: <S::In as SystemInput>::Inner<'_>,
///         run_system: impl FnOnce(SystemIn<'_, S>) -> Result<S::Out, RunSystemError>,
///     ) -> Result<Self::Out, RunSystemError> {
///         let out = run_system(input)?;
///         Ok(!out)
///     }
/// }
///
/// let mut system = AdapterSystem::new(Negated, IntoSystem::into_system(|| 0_u8), "negated".into());
/// assert_eq!(system.run((), &mut World::new()).unwrap(), 255);
/// ```
pub trait Adapt<S: System>: Send + Sync + 'static {
    /// The input of the adapted system.
    type In: SystemInput;
    /// The output of the adapted system.
    type Out;

    /// Returns the output of the adapted system. Calls `run_system` to run the inner system, or skips it.
    ///
    /// # Errors
    ///
    /// If the adapted system could not run. `run_system` returns an error if a parameter of the inner system cannot be fetched.
    fn adapt(
        &mut self,
        input: <Self::In as SystemInput>::Inner<'_>,
        run_system: impl FnOnce(SystemIn<'_, S>) -> Result<S::Out, RunSystemError>,
    ) -> Result<Self::Out, RunSystemError>;
}

/// Runs a system as defined by an [`Adapt`].
pub struct AdapterSystem<Func, S>(PhantomData<fn() -> (Func, S)>);

impl<Func: Adapt<S>, S: System> AdapterSystem<Func, S> {
    /// Returns a system with this name that runs `system`.
    #[must_use]
    #[expect(clippy::new_ret_no_self, reason = "systems that are made of others are boxed, and bevy_ecs has this name")]
    pub fn new(func: Func, system: S, name: String) -> BoxedSystem<Func::In, Func::Out> {
        let system: BoxedSystem<S::In, S::Out> = Box::new(system);
        wrap(Some(joined(&[&name])), AdaptWrap::<Func, S>(func, PhantomData), system)
    }
}

impl_debug!([Func, S] AdapterSystem<Func, S> => |_this, f| f.write_str("AdapterSystem"));

/// Wraps a system as defined by an [`Adapt`].
struct AdaptWrap<Func, S>(Func, PhantomData<fn() -> S>);

impl<Func: Adapt<S>, S: System> Wrap<S::In, S::Out> for AdaptWrap<Func, S> {
    type In = Func::In;
    type Out = Func::Out;

    fn wrap(
        &mut self,
        name: &str,
        input: InputItem<'_, Func::In>,
        run: impl FnOnce(SystemIn<'_, S>) -> Result<S::Out, ParamError>,
    ) -> Result<Func::Out, ParamError> {
        let out = self.0.adapt(input, |input| run(input).map_err(|error| RunSystemError::new(name, error)));
        out.map_err(RunSystemError::into_param_error)
    }
}
