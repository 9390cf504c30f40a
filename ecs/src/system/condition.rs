//! Systems that only read, and conditions made of them.
//!
//! Tests: tests/systems/conditions.rs, tests/systems/params/conditions.rs

use core::marker::PhantomData;

use super::base::BoxedSystem;
use super::combine::{self, Rule};
use super::function::MacroMarker;
use super::input::SystemInput;
use super::into::{BoxedMarker, IntoSystem};
use super::item::{MacroSystem, SystemFunction, SystemItem};
use super::param::SystemParam;
use super::param_function::SystemParamFunction;
use super::params::ReadOnlySource;
use super::plain_function::FunctionMarker;
use crate::util::error::EcsError;

/// A parameter through which a system cannot change the world. These are queries that only read, [`Res`](crate::system::Res),
/// [`MessageReader`](crate::system::MessageReader), [`Lookup`](crate::system::Lookup), `&World`, tuples and structs of these, and
/// [`Local`](crate::system::Local), which belongs to the system. [`Commands`](crate::command::Commands) are not read-only: they
/// change the world when they are applied.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::ReadOnlySystemParam;
/// # #[derive(Component)] struct Health(u32);
///
/// fn only_reads<P: ReadOnlySystemParam>() {}
/// only_reads::<(Query<&Health>, Local<u32>, &World)>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can change the world, and here a system may only read",
    label = "not a parameter that only reads",
    note = "parameters that only read are `Query<&T>`, `Lookup<&T>`, `Res<T>`, `Option<Res<T>>`, `MessageReader<T>`, \
            `Local<T>` and `&World`"
)]
pub trait ReadOnlySystemParam: SystemParam<Source: ReadOnlySource> {}

#[diagnostic::do_not_recommend]
impl<P: SystemParam<Source: ReadOnlySource>> ReadOnlySystemParam for P {}

/// A boxed condition, to be stored or returned. It is the result of `into_system` and of every combinator.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::BoxedCondition;
/// # #[derive(Resource)] struct Paused;
///
/// let conditions: Vec<BoxedCondition> = vec![not(resource_exists::<Paused>), IntoSystem::into_system(|| true)];
/// let mut schedule = Schedule::default();
/// for condition in conditions {
///     schedule.add_systems((|| ()).run_if(condition));
/// }
/// schedule.run(&mut World::new());
/// ```
pub type BoxedCondition<I = ()> = BoxedSystem<I, bool>;

/// Writes the methods that combine two conditions. Each entry ends with two values. The first is the answer of the first condition
/// that decides without the second, if there is such an answer. The second is a function that combines both answers. Error messages
/// show these signatures.
macro_rules! combinators {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident<$Marker:ident>(self, other: $Other:ty) -> $Out:ty = $decides:expr, $outcome:expr;
    )*) => { $(
        $(#[$attribute])*
        #[track_caller]
        fn $name<$Marker>(self, other: $Other) -> $Out
        where
            In: for<'i> SystemInput<Inner<'i>: Copy> + 'static,
        {
            let rule = Rule { name: stringify!($name), decides: $decides, outcome: $outcome };
            combine::both(rule, self.into_condition(), other.into_condition())
        }
    )* };
}

/// A system that decides whether other systems run. It only reads, and returns `bool`, or `Result<bool, E>` where the error
/// converts into an [`EcsError`].
///
/// If a condition returns an error, [`Schedule::try_run`](crate::schedule::Schedule::try_run) returns this error, unless the error
/// handler decides otherwise. The systems that depend on the condition do not run. A function that returns a `Result` is a system
/// with two possible outputs, `bool` and the `Result`. Where the compiler cannot infer which one is meant, write
/// `IntoSystem<(), bool, _>`.
///
/// A function that writes does not compile as a condition. For items made by `#[system]`, and for systems that are made of others
/// (by [`IntoSystem::map`], say), the access is only known when they first run. If they write, they panic at that time.
///
/// If a condition has a [`Single`](crate::system::Single) or [`Populated`](crate::system::Populated) that does not match, the
/// condition does not hold. In a combination such as `a.xor(b)` it counts as `false`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Resource)] struct Paused;
///
/// fn enemies(all: Query<(), With<Enemy>>) -> bool {
///     !all.is_empty()
/// }
///
/// fn paused(paused: Option<Res<Paused>>) -> bool {
///     paused.is_some()
/// }
///
/// fn fight() {
///     unreachable!("there are no enemies");
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems(fight.run_if(enemies.and(not(paused))));
/// schedule.run(&mut World::new());
/// ```
///
/// A condition with an input takes the input from a system that runs before it ([`pipe`](IntoSystem::pipe)), or stores it
/// ([`with_input`](IntoSystem::with_input)):
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
///
/// fn enemies(all: Query<(), With<Enemy>>) -> usize {
///     all.count()
/// }
///
/// fn at_least<const N: usize>(In(count): In<usize>) -> bool {
///     count >= N
/// }
///
/// fn every(InMut(left): InMut<u32>) -> bool {
///     *left = left.checked_sub(1).unwrap_or(2);
///     *left == 0
/// }
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems((|| ()).run_if(enemies.pipe(at_least::<3>)).run_if(every.with_input(1)));
/// // Conditions with the same input are combined, if it can be copied: both get it.
/// schedule.add_systems((|| ()).run_if(enemies.pipe(at_least::<3>.or(|In(count): In<usize>| count == 0))));
/// schedule.run(&mut World::new());
/// ```
///
/// Conditions that are made of others, as in `a.and(b).or(c)`, may be nested 500 deep. A combinator panics if its result is nested
/// more deeply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a condition",
    label = "not a system that only reads and returns `bool`",
    note = "a condition is a system that returns `bool` or `Result<bool, E>` and whose parameters, at most 16, only read: `Query<&T>`, \
            `Lookup<&T>`, `Res<T>`, `Option<Res<T>>`, `MessageReader<T>`, `Local<T>`, `&World`",
    note = "give the function itself, not what it returns; write `#[system]` above it to see which parameter is no `SystemParam`"
)]
#[doc(alias("RequireForUpdate", "ShouldRun", "RunCriteria"))]
pub trait SystemCondition<Marker, In: SystemInput = ()>: IntoSystem<In, bool, Marker> {
    #[doc(hidden)]
    #[track_caller]
    fn into_condition(self) -> BoxedSystem<In, bool>;

    combinators! {
        /// Holds if both conditions hold. Both are evaluated each time, so each sees every change, as with
        /// [`and_eager`](Self::and_eager). [`and_then`](Self::and_then) evaluates `other` only if this condition holds.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let both = (|| true).and(|| false);
        /// assert!(!World::new().run_system_once(both).unwrap());
        /// ```
        fn and<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| a && b;

        /// Holds if both conditions hold. `other` is only evaluated if this condition holds. If `other` tests for changes or reads
        /// messages, it sees those since it was last evaluated.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let both = (|| true).and_then(|| true);
        /// assert!(World::new().run_system_once(both).unwrap());
        /// ```
        fn and_then<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = Some(false), |a, b| a && b;

        /// Holds if both conditions hold. Both are evaluated each time: a condition that counts its runs counts all of them.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let both = (|| false).and_eager(|| true);
        /// assert!(!World::new().run_system_once(both).unwrap());
        /// ```
        fn and_eager<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| a && b;

        /// Holds unless both conditions hold. `other` is evaluated only if this condition holds.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let not_both = (|| true).nand_then(|| false);
        /// assert!(World::new().run_system_once(not_both).unwrap());
        /// ```
        fn nand_then<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = Some(false), |a, b| !(a && b);

        /// Holds unless both conditions hold. Both are evaluated each time.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let not_both = (|| true).nand_eager(|| true);
        /// assert!(!World::new().run_system_once(not_both).unwrap());
        /// ```
        fn nand_eager<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| !(a && b);

        /// Holds if at least one of the conditions holds. Both are evaluated each time, so each sees every change, as with
        /// [`or_eager`](Self::or_eager). [`or_else`](Self::or_else) evaluates `other` only if this condition does not hold.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let either = (|| false).or(|| true);
        /// assert!(World::new().run_system_once(either).unwrap());
        /// ```
        fn or<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| a || b;

        /// Holds if at least one of the conditions holds. `other` is only evaluated if this condition does not hold.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let either = (|| false).or_else(|| false);
        /// assert!(!World::new().run_system_once(either).unwrap());
        /// ```
        fn or_else<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = Some(true), |a, b| a || b;

        /// Holds if at least one of the conditions holds. Both are evaluated each time: a condition that counts its runs counts all
        /// of them.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let either = (|| true).or_eager(|| false);
        /// assert!(World::new().run_system_once(either).unwrap());
        /// ```
        fn or_eager<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| a || b;

        /// Holds if neither condition holds. `other` is evaluated only if this condition does not hold.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let neither = (|| false).nor_else(|| false);
        /// assert!(World::new().run_system_once(neither).unwrap());
        /// ```
        fn nor_else<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = Some(true), |a, b| !(a || b);

        /// Holds if neither condition holds. Both are evaluated each time.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let neither = (|| true).nor_eager(|| false);
        /// assert!(!World::new().run_system_once(neither).unwrap());
        /// ```
        fn nor_eager<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| !(a || b);

        /// Holds if exactly one of the conditions holds. Both are evaluated each time.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let one = (|| true).xor(|| true);
        /// assert!(!World::new().run_system_once(one).unwrap());
        /// ```
        fn xor<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| a != b;

        /// Holds if both conditions hold, or if neither holds. Both are evaluated each time.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// let agree = (|| false).xnor(|| false);
        /// assert!(World::new().run_system_once(agree).unwrap());
        /// ```
        fn xnor<Other>(self, other: impl SystemCondition<Other, In>) -> BoxedSystem<In, bool>
            = None, |a, b| a == b;
    }
}

#[diagnostic::do_not_recommend]
impl<Marker, In: SystemInput, S: IntoReadOnlySystem<In, bool, Marker>> SystemCondition<Marker, In> for S {
    fn into_condition(self) -> BoxedSystem<In, bool> {
        IntoSystem::into_system(self)
    }
}

/// A system that only reads.
///
/// The parameters of a function are checked at compile time. The access of an item made by `#[system]`, and of a boxed system, is
/// known only when it has been initialized.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system that only reads",
    label = "can change the world, or is no system",
    note = "all parameters of such a function, at most 16, implement `ReadOnlySystemParam`: `Query<&T>`, `Lookup<&T>`, `Res<T>`, \
            `Option<Res<T>>`, `MessageReader<T>`, `Local<T>`, `&World`"
)]
pub trait IntoReadOnlySystem<In: SystemInput, Out, Marker>: IntoSystem<In, Out, Marker> {}

#[diagnostic::do_not_recommend]
impl<Marker, F> IntoReadOnlySystem<F::In, F::Out, (FunctionMarker, Marker)> for F
where
    Marker: 'static,
    F: SystemParamFunction<Marker, Param: ReadOnlySystemParam>,
    F: IntoSystem<F::In, F::Out, (FunctionMarker, Marker)>,
{
}

#[diagnostic::do_not_recommend]
impl<In: SystemInput, Out, S: IntoSystem<In, Out, MacroMarker>> IntoReadOnlySystem<In, Out, MacroMarker> for S {}

#[diagnostic::do_not_recommend]
impl<In, Out, S, Params> IntoReadOnlySystem<In, Out, (MacroMarker, Params)> for S
where
    In: SystemInput,
    S: IntoSystem<In, Out, (MacroMarker, Params)>,
{
}

#[diagnostic::do_not_recommend]
impl<In, E, Marker, S> IntoReadOnlySystem<In, bool, FallibleMarker<E, Marker>> for S
where
    In: SystemInput,
    S: IntoSystem<In, bool, FallibleMarker<E, Marker>>,
{
}

#[diagnostic::do_not_recommend]
impl<In: SystemInput, Out> IntoReadOnlySystem<In, Out, BoxedMarker> for BoxedSystem<In, Out> {}

/// Distinguishes conditions that may fail from others: `E` is the error type, `Marker` the marker of the function.
#[doc(hidden)]
pub struct FallibleMarker<E, Marker>(PhantomData<(E, Marker)>);

#[diagnostic::do_not_recommend]
impl<Marker, E, F> IntoSystem<F::In, bool, FallibleMarker<E, (FunctionMarker, Marker)>> for F
where
    Marker: 'static,
    E: Into<EcsError> + Unpin + 'static,
    F: SystemParamFunction<Marker, In: 'static, Out = Result<bool, E>, Param: ReadOnlySystemParam>,
{
    const CHECKED: () = <F as IntoSystem<F::In, Result<bool, E>, (FunctionMarker, Marker)>>::CHECKED;

    fn into_system(this: Self) -> BoxedSystem<F::In, bool> {
        combine::answering(<F as IntoSystem<F::In, Result<bool, E>, (FunctionMarker, Marker)>>::into_system(this))
    }
}

#[diagnostic::do_not_recommend]
impl<In, E, Params, F> IntoSystem<In, bool, FallibleMarker<E, (MacroMarker, Params)>> for F
where
    In: SystemInput + 'static,
    E: Into<EcsError> + 'static,
    F: SystemFunction<Params, System: MacroSystem<In, Result<bool, E>>>,
{
    const CHECKED: () = <F::System as MacroSystem<In, Result<bool, E>>>::CHECKED;

    fn into_system(_: Self) -> BoxedSystem<In, bool> {
        combine::answering(<F::System as MacroSystem<In, Result<bool, E>>>::build())
    }
}

#[diagnostic::do_not_recommend]
impl<In, E, F> IntoSystem<In, bool, FallibleMarker<E, MacroMarker>> for SystemItem<F, In, Result<bool, E>>
where
    In: SystemInput + 'static,
    E: Into<EcsError> + 'static,
{
    fn into_system(this: Self) -> BoxedSystem<In, bool> {
        combine::answering(IntoSystem::<In, Result<bool, E>, MacroMarker>::into_system(this))
    }
}

/// Returns the negation of a condition, which may have an input. The negation fails if the condition fails.
///
/// ```
/// use strata_ecs::prelude::*;
/// assert!(World::new().run_system_once(not(|| false)).unwrap());
/// assert!(World::new().run_system_once_with(not(|In(number): In<u32>| number == 0), 3).unwrap());
/// assert!(World::new().run_system_once(not(|| -> Result<bool> { Ok("0".parse::<u32>()? > 0) })).unwrap());
/// ```
#[track_caller]
pub fn not<Marker, In: SystemInput + 'static>(condition: impl SystemCondition<Marker, In>) -> BoxedSystem<In, bool> {
    combine::not(condition.into_condition())
}
