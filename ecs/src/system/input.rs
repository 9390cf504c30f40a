//! The input that a system gets when it is run.
//!
//! An input has a lifetime of its own, so an input by reference lives for one run. A boxed system names the type of the parameter,
//! as in `BoxedSystem<In<u32>>`.
//!
//! Tests: tests/systems/params/inputs.rs, tests/systems/params/deferred.rs

use core::convert::Infallible;

use crate::entity::Entity;

/// The input of a system: its first parameter, which the caller of the system passes.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// fn damage(In(amount): In<u32>, mut all: Query<&mut Health>) -> usize {
///     all.iter_mut().for_each(|mut health| health.0 = health.0.saturating_sub(amount));
///     all.iter().filter(|health| health.0 == 0).count()
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Health(3), Health(8)]);
/// assert_eq!(world.run_system_once_with(damage, 5).unwrap(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct In<T>(pub T);

impl_deref_mut!(#[inline] [T] In<T> => T, |this| this.0);

/// An input that is borrowed from the caller of the system.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn longest(InRef(words): InRef<[String]>) -> usize {
///     words.iter().map(String::len).max().unwrap_or(0)
/// }
///
/// let words = ["one", "three"].map(String::from);
/// assert_eq!(World::new().run_system_once_with(longest, &words[..]).unwrap(), 5);
/// ```
#[derive(Debug)]
pub struct InRef<'i, T: ?Sized>(pub &'i T);

impl_deref!(#[inline] [T: ?Sized] InRef<'_, T> => T, |this| *this.0);

/// An input that is borrowed mutably from the caller of the system.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn count(mut total: InMut<usize>, everybody: Query<Entity>) {
///     *total += everybody.count();
/// }
///
/// let mut world = World::new();
/// world.spawn_empty();
/// let mut total = 10;
/// world.run_system_once_with(count, &mut total).unwrap();
/// assert_eq!(total, 11);
/// ```
#[derive(Debug)]
pub struct InMut<'i, T: ?Sized>(pub &'i mut T);

impl_deref_mut!(#[inline] [T: ?Sized] InMut<'_, T> => T, |this| *this.0);

/// The input of a system: [`In`], [`InRef`], [`InMut`], tuples of up to 16 of these, or `()` for no input.
///
/// A function that is generic in its input takes [`StaticSystemInput`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{BoxedSystem, SystemInput};
///
/// fn run<I: SystemInput + 'static>(system: BoxedSystem<I, u32>, input: I::Inner<'_>) -> u32 {
///     World::new().run_system_once_with(system, input).unwrap()
/// }
/// let double = IntoSystem::into_system(|In(number): In<u32>| number * 2);
/// let length = IntoSystem::into_system(|text: InRef<str>| text.len() as u32);
/// assert_eq!((run(double, 4), run(length, "four")), (8, 4));
///
/// fn add((mut total, In(amount)): (InMut<u32>, In<u32>)) {
///     *total += amount;
/// }
/// let mut total = 1;
/// World::new().run_system_once_with(add, (&mut total, 4)).unwrap();
/// assert_eq!(total, 5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an input of a system: write `In<{Self}>`",
    label = "not an input of a system",
    note = "the input of a system is `In<T>`, `InRef<'static, T>` or `InMut<'static, T>`, a tuple of at most 16 of these, or `()` if there \
            is none"
)]
pub trait SystemInput: Sized {
    /// The same parameter with another lifetime.
    type Param<'i>: SystemInput;
    /// The value that the caller of the system passes: `T`, `&T` or `&mut T`.
    type Inner<'i>;

    /// Converts the value that the caller passes into the parameter.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::SystemInput;
    /// assert_eq!(In::<u32>::wrap(3), In(3));
    /// ```
    fn wrap(value: Self::Inner<'_>) -> Self::Param<'_>;

    /// Whether the input is an event of one entity, so that a system may observe several entities in one run.
    #[doc(hidden)]
    const IS_EVENT: bool = false;

    /// The data from which inputs are made, for a system that observes several entities.
    #[doc(hidden)]
    type About<'a>;

    /// Moves the data into a local variable of a loop, so that the compiler knows which code writes to the data.
    #[doc(hidden)]
    fn begin<'b>(about: &'b mut Self::About<'_>) -> Self::About<'b>;

    /// Returns the input for one of the entities.
    #[doc(hidden)]
    fn about<'i>(about: &'i mut Self::About<'_>, entity: Entity) -> Self::Inner<'i>;
}

/// An input that is a parameter of the function: every input except `()`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an input of a system",
    label = "taken for the input because of its name",
    note = "the input of a system is `In<T>`, `InRef<T>` or `InMut<T>` of this library; write `#[param]` before a system parameter \
            with such a name"
)]
pub trait WrittenInput: SystemInput {}

/// The value that a system with the input `I` takes.
pub(crate) type InputItem<'i, I> = <I as SystemInput>::Inner<'i>;

/// Defines the members of a [`SystemInput`] that is not an event.
macro_rules! observes_nothing {
    () => {
        type About<'a> = Infallible;

        fn begin(about: &mut Infallible) -> Infallible {
            match *about {}
        }

        fn about<'i>(about: &'i mut Infallible, _: Entity) -> Self::Inner<'i> {
            match *about {}
        }
    };
}
pub(crate) use observes_nothing;

impl SystemInput for () {
    type Param<'i> = ();
    type Inner<'i> = ();

    #[inline(always)]
    fn wrap((): Self::Inner<'_>) -> Self::Param<'_> {}

    observes_nothing!();
}

/// Implements [`SystemInput`] for parameters that are not events.
macro_rules! plain_inputs {
    ($([$($generics:tt)*] $Input:ty => $Param:ty, $Inner:ty, |$given:ident| $wrapped:expr;)*) => { $(
        impl<$($generics)*> SystemInput for $Input {
            type Param<'i> = $Param;
            type Inner<'i> = $Inner;

            #[inline(always)]
            fn wrap($given: Self::Inner<'_>) -> Self::Param<'_> {
                $wrapped
            }

            observes_nothing!();
        }

        impl<$($generics)*> WrittenInput for $Input {}
    )* };
}
pub(crate) use plain_inputs;

plain_inputs! {
    [T: 'static] In<T> => Self, T, |value| Self(value);
    [T: ?Sized + 'static] InRef<'_, T> => InRef<'i, T>, &'i T, |value| InRef(value);
    [T: ?Sized + 'static] InMut<'_, T> => InMut<'i, T>, &'i mut T, |value| InMut(value);
}

/// An input of any type `I`, for functions that are generic in `I`. If such a function took a bare `I`, the compiler could not know
/// that `I` with another lifetime is the same type.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{StaticSystemInput, SystemInput};
///
/// fn length<I>(StaticSystemInput(given): StaticSystemInput<I>) -> usize
/// where
///     I: for<'i> SystemInput<Inner<'i>: AsRef<str>> + 'static,
/// {
///     given.as_ref().len()
/// }
///
/// let mut world = World::new();
/// assert_eq!(world.run_system_once_with(length::<In<String>>, "three".into()).unwrap(), 5);
/// assert_eq!(world.run_system_once_with(length::<InRef<str>>, "four").unwrap(), 4);
/// ```
pub struct StaticSystemInput<'i, I: SystemInput>(pub I::Inner<'i>);

impl<I: SystemInput> SystemInput for StaticSystemInput<'_, I> {
    type Param<'i> = StaticSystemInput<'i, I>;
    type Inner<'i> = I::Inner<'i>;

    #[inline(always)]
    fn wrap(value: Self::Inner<'_>) -> Self::Param<'_> {
        StaticSystemInput(value)
    }

    const IS_EVENT: bool = I::IS_EVENT;

    type About<'a> = I::About<'a>;

    fn begin<'b>(about: &'b mut Self::About<'_>) -> Self::About<'b> {
        I::begin(about)
    }

    fn about<'i>(about: &'i mut Self::About<'_>, entity: Entity) -> Self::Inner<'i> {
        I::about(about, entity)
    }
}

impl<I: SystemInput> WrittenInput for StaticSystemInput<'_, I> {}

/// The input of a tuple is a tuple of its members' inputs.
macro_rules! inputs {
    ($($I:ident $at:tt)*) => {
        impl<$($I: SystemInput),*> SystemInput for ($($I,)*) {
            type Param<'i> = ($($I::Param<'i>,)*);
            type Inner<'i> = ($($I::Inner<'i>,)*);

            #[inline(always)]
            fn wrap(value: Self::Inner<'_>) -> Self::Param<'_> {
                ($($I::wrap(value.$at),)*)
            }

            observes_nothing!();
        }

        impl<$($I: WrittenInput),*> WrittenInput for ($($I,)*) {}
    };
}

all_tuples!(inputs);
