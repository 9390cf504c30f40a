//! The items that `#[system]` puts in place of a function: a function that returns a [`SystemFn`], or, in an `impl`, a
//! [`SystemItem`].
//!
//! Tests: tests/systems/row_systems.rs

use crate::util::error::EcsError;
use core::fmt;
use core::marker::{PhantomData, PhantomPinned};
use core::panic::Location;

use super::base::{BoxedSystem, set_place};
use super::combine;
use super::function::MacroMarker;
use super::input::SystemInput;
use super::into::IntoSystem;
use super::output::SystemOutput;

/// The return value of a function with `#[system]`. It contains the output of the function's body. Its type names the system that
/// the macro generated.
///
/// A schedule never calls the function through this signature; it runs the loop of `S`. A program may call the function, for
/// example to test one row.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
///
/// #[system]
/// fn hurt(health: &mut Health) -> Result {
///     health.0 = health.0.checked_sub(1).ok_or("dead already")?;
///     Ok(())
/// }
///
/// let mut health = Health(1);
/// assert!(hurt(&mut health).output.is_ok());
/// assert!(hurt(&mut health).output.is_err());
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(hurt);
/// schedule.run(&mut world);
/// assert_eq!(world.get(entity), Some(&Health(2)));
/// ```
pub struct SystemFn<S, Out = ()> {
    /// The output of the function.
    pub output: Out,
    // `PhantomPinned` makes `SystemFn` `!Unpin`, while outputs of plain functions must be `Unpin`. So implementations for the two do not
    // overlap.
    system: PhantomData<(fn() -> S, PhantomPinned)>,
}

impl<S, Out> SystemFn<S, Out> {
    /// Wraps the output of the function's body.
    #[doc(hidden)]
    #[inline(always)]
    pub fn of(body: impl FnOnce() -> Out) -> Self {
        Self { output: body(), system: PhantomData }
    }
}

impl_debug!([S, Out: fmt::Debug] SystemFn<S, Out> => |this, f| f.debug_tuple("SystemFn").field(&this.output).finish());

/// A system that the macro generated from a function.
#[doc(hidden)]
pub trait MacroSystem<In: SystemInput, Out> {
    /// Fails to evaluate if the parameters conflict.
    const CHECKED: () = ();

    /// Makes the system.
    fn build() -> BoxedSystem<In, Out>;

    /// Makes the system with a `Result` as its output. A schedule runs this system.
    #[track_caller]
    fn build_fallible() -> BoxedSystem<In, Result<(), EcsError>>
    where
        In: 'static,
        Out: SystemOutput,
    {
        let mut system = Self::build();
        set_place(&mut *system, Location::caller());
        combine::fallible(system)
    }
}

/// A system that the macro generated from a function over rows that returns nothing. Its loop can still fail if a system parameter
/// cannot be fetched.
#[doc(hidden)]
pub trait MacroRows<In: SystemInput> {
    /// Fails to evaluate if the parameters conflict.
    const CHECKED: () = ();

    /// Makes the system.
    fn build_rows() -> BoxedSystem<In, Result<(), EcsError>>;
}

impl<In: SystemInput + 'static, S: MacroRows<In>> MacroSystem<In, ()> for S {
    const CHECKED: () = <S as MacroRows<In>>::CHECKED;

    fn build() -> BoxedSystem<In, ()> {
        combine::infallible(S::build_rows())
    }

    fn build_fallible() -> BoxedSystem<In, Result<(), EcsError>> {
        S::build_rows()
    }
}

/// A function that returns a [`SystemFn`], with the types of its parameters.
#[doc(hidden)]
pub trait SystemFunction<Params> {
    /// The system that the macro generated.
    type System;
}

/// Implements [`SystemFunction`] for functions with up to 40 parameters.
macro_rules! system_functions {
    () => {
        system_functions!(@);
    };
    ($first:ident $($P:ident)*) => {
        system_functions!(@ $first $($P)*);
        system_functions!($($P)*);
    };
    (@ $($P:ident)*) => {
        impl<Func, S, Out, $($P),*> SystemFunction<fn($($P),*) -> Out> for Func
        where
            Func: Fn($($P),*) -> SystemFn<S, Out>,
        {
            type System = S;
        }
    };
}

system_functions!(A B C D E F G H I J K L M N O P Q R T U V W X Y Z AA BB CC DD EE FF GG HH II JJ KK LL MM NN OO);

impl<Func, Params, In, Out> IntoSystem<In, Out, (MacroMarker, Params)> for Func
where
    In: SystemInput,
    Func: SystemFunction<Params, System: MacroSystem<In, Out>>,
{
    const CHECKED: () = <Func::System as MacroSystem<In, Out>>::CHECKED;

    fn into_system(_: Self) -> BoxedSystem<In, Out> {
        <Func::System as MacroSystem<In, Out>>::build()
    }

    fn into_fallible_system(_: Self) -> BoxedSystem<In, Result<(), EcsError>>
    where
        In: 'static,
        Out: SystemOutput,
    {
        let mut system = <Func::System as MacroSystem<In, Out>>::build_fallible();
        set_place(&mut *system, Location::caller());
        system
    }
}

/// The item that `#[system(associated)]` generates under the name of a function: a value that can be called like the function and
/// added like a system. (Outside of an `impl` each system has a type of its own.)
///
/// `F` is the type of the function, `In` the input of the system and `Out` its output.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::SystemItem;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// impl Health {
///     #[system(associated)]
///     fn heal(health: &mut Health) {
///         health.0 += 1;
///     }
/// }
///
/// let item: SystemItem<fn(&mut Health)> = Health::heal;
/// let mut health = Health(1);
/// item(&mut health);
/// assert_eq!(health.0, 2);
/// assert!(IntoSystem::into_system(item).name().ends_with("::heal"));
/// ```
pub struct SystemItem<F, In: SystemInput = (), Out = ()> {
    function: F,
    build: fn() -> BoxedSystem<In, Out>,
    /// The system that a schedule runs, if it differs from `build`.
    build_fallible: Option<fn() -> BoxedSystem<In, Result<(), EcsError>>>,
}

impl_copy! { [F: Copy, In: SystemInput, Out] SystemItem<F, In, Out>; }

impl<F, In: SystemInput, Out> SystemItem<F, In, Out> {
    #[doc(hidden)]
    pub const fn new(function: F, build: fn() -> BoxedSystem<In, Out>) -> Self {
        Self { function, build, build_fallible: None }
    }

    #[doc(hidden)]
    pub const fn of_rows(
        function: F,
        build: fn() -> BoxedSystem<In, Out>,
        build_fallible: fn() -> BoxedSystem<In, Result<(), EcsError>>,
    ) -> Self {
        Self { function, build, build_fallible: Some(build_fallible) }
    }
}

impl_deref!(#[inline(always)] [F, In: SystemInput, Out] SystemItem<F, In, Out> => F, |this| this.function);

impl_debug!([F, In: SystemInput + 'static, Out: 'static] SystemItem<F, In, Out> => |this, f|
    fmt::Debug::fmt(&*(this.build)(), f));

impl<F, In: SystemInput + 'static, Out: 'static> IntoSystem<In, Out, MacroMarker> for SystemItem<F, In, Out> {
    fn into_system(this: Self) -> BoxedSystem<In, Out> {
        (this.build)()
    }

    fn into_fallible_system(this: Self) -> BoxedSystem<In, Result<(), EcsError>>
    where
        Out: SystemOutput,
    {
        this.build_fallible.map_or_else(|| combine::fallible((this.build)()), |build| build())
    }
}
