//! Tuples of systems and sets, and the methods of tuples and functions that are not systems.
//!
//! Tests: tests/schedules/schedule/orders.rs, tests/ui/fail

use alloc::vec::Vec;

use super::config::{Config, Group, IntoScheduleConfigs, Schedulable, ScheduleConfigs, ScheduleShape, whole};
use crate::system::{BoxedSystem, IntoSystem, SystemCondition, SystemInput};

/// Distinguishes tuples from single systems.
#[doc(hidden)]
pub struct TupleMarker;

/// Methods of [`IntoScheduleConfigs`] whose bounds `$Whole` does not satisfy.
macro_rules! schedule_methods {
    ($Whole:ty; $($name:ident($($Argument:ident)?))*) => { $(
        fn $name<T: Schedulable, M, $($Argument)?>(self, $(_: $Argument)?) -> ScheduleConfigs<T>
        where
            $Whole: ScheduleShape<M>,
            <$Whole as ScheduleShape<M>>::Whole: IntoScheduleConfigs<T, M>,
        {
            never_called()
        }
    )* };
}

/// The methods of systems for a tuple with a member that is not a system.
///
/// Such a tuple does not implement [`IntoScheduleConfigs`]. Without this trait, rustc would find `chain` of iterators,
/// or no method, and report that. rustc considers references last, so this trait, which only references implement, never
/// hides another method. A call of one of its methods does not compile; the error names the unsatisfied bounds, as with
/// [`add_systems`](super::Schedule::add_systems).
#[doc(hidden)]
pub trait TupleOfNoSystems: Sized {
    type Tuple;

    // Written out, because the error shows the method.
    fn chain<T: Schedulable, M>(self) -> ScheduleConfigs<T>
    where
        Self::Tuple: ScheduleShape<M>,
        <Self::Tuple as ScheduleShape<M>>::Whole: IntoScheduleConfigs<T, M>,
    {
        never_called()
    }

    fn before<T: Schedulable, M, Set>(self, _: Set) -> ScheduleConfigs<T>
    where
        Self::Tuple: ScheduleShape<M>,
        <Self::Tuple as ScheduleShape<M>>::Whole: IntoScheduleConfigs<T, M>,
    {
        never_called()
    }

    fn after<T: Schedulable, M, Set>(self, _: Set) -> ScheduleConfigs<T>
    where
        Self::Tuple: ScheduleShape<M>,
        <Self::Tuple as ScheduleShape<M>>::Whole: IntoScheduleConfigs<T, M>,
    {
        never_called()
    }

    fn in_set<T: Schedulable, M, Set>(self, _: Set) -> ScheduleConfigs<T>
    where
        Self::Tuple: ScheduleShape<M>,
        <Self::Tuple as ScheduleShape<M>>::Whole: IntoScheduleConfigs<T, M>,
    {
        never_called()
    }

    fn run_if<T: Schedulable, M, Condition>(self, _: Condition) -> ScheduleConfigs<T>
    where
        Self::Tuple: ScheduleShape<M>,
        <Self::Tuple as ScheduleShape<M>>::Whole: IntoScheduleConfigs<T, M>,
    {
        never_called()
    }

    schedule_methods!(Self::Tuple;
        chain_ignore_deferred() before_ignore_deferred(Set) after_ignore_deferred(Set) distributive_run_if(Condition)
        ambiguous_with(Set) ambiguous_with_all()
    );
}

/// The methods of systems and conditions for a function that is neither: see [`TupleOfNoSystems`].
///
/// `run_if` is missing because observers have it too ([`ObserverSystemExt`](crate::observer::ObserverSystemExt)); their
/// error says that the function is not a system.
#[doc(hidden)]
pub trait FunctionOfNoSystem<Signature>: Sized {
    type Function;

    schedule_methods!(Self::Function;
        chain() chain_ignore_deferred() before(Set) after(Set) before_ignore_deferred(Set) after_ignore_deferred(Set)
        in_set(Set) distributive_run_if(Condition) ambiguous_with(Set) ambiguous_with_all()
    );

    fn pipe<In: SystemInput, Out, M, Next, NextOut>(self, _: Next) -> BoxedSystem<In, NextOut>
    where
        Self::Function: IntoSystem<In, Out, M>,
    {
        never_called()
    }

    fn map<In: SystemInput, Out, M, Change, NewOut>(self, _: Change) -> BoxedSystem<In, NewOut>
    where
        Self::Function: IntoSystem<In, Out, M>,
    {
        never_called()
    }

    fn and<M, Other>(self, _: Other) -> BoxedSystem<(), bool>
    where
        Self::Function: SystemCondition<M>,
    {
        never_called()
    }

    fn or<M, Other>(self, _: Other) -> BoxedSystem<(), bool>
    where
        Self::Function: SystemCondition<M>,
    {
        never_called()
    }

    fn and_then<M, Other>(self, _: Other) -> BoxedSystem<(), bool>
    where
        Self::Function: SystemCondition<M>,
    {
        never_called()
    }

    fn or_else<M, Other>(self, _: Other) -> BoxedSystem<(), bool>
    where
        Self::Function: SystemCondition<M>,
    {
        never_called()
    }
}

/// A tuple or function that satisfies the bounds has these methods by other traits, which rustc finds first.
fn never_called<T>() -> T {
    unreachable!("systems have methods of their own")
}

/// The impls for functions and tuples of each number of parameters and members, down to zero. They include sizes that
/// are too large for systems and tuples of systems.
macro_rules! no_systems {
    (impl $($P:ident)*) => {
        impl<Function, Out, $($P),*> FunctionOfNoSystem<fn($($P),*) -> Out> for &Function
        where
            Function: FnMut($($P),*) -> Out,
        {
            type Function = Function;
        }

        impl<$($P),*> TupleOfNoSystems for &($($P,)*) {
            type Tuple = ($($P,)*);
        }
    };
    () => { no_systems!(impl); };
    ($First:ident $($P:ident)*) => {
        no_systems!(impl $First $($P)*);
        no_systems!($($P)*);
    };
}

no_systems!(A B C D E F G H I J K L M N O P Q R S T U V W X Y Z A1 B1 C1 D1 E1 F1);

/// One impl for each number of members: each has a type, the marker of its kind, and a position.
macro_rules! tuples {
    ($($P:ident $M:ident)*) => {
        whole!([$($P, $M),*] ($($P,)*): (TupleMarker, $($M),*););

        #[diagnostic::do_not_recommend]
        #[expect(non_snake_case, reason = "each value is named after its type parameter")]
        impl<T: Schedulable, $($P, $M),*> IntoScheduleConfigs<T, (TupleMarker, $($M),*)> for ($($P,)*)
        where
            $($P: ScheduleShape<$M> + IntoScheduleConfigs<T, $M>),*
        {
            const CHECKED: () = {
                $(let () = <$P as IntoScheduleConfigs<T, $M>>::CHECKED;)*
            };

            fn into_configs(self) -> ScheduleConfigs<T> {
                let ($($P,)*) = self;
                let members = alloc::vec![$(<$P as IntoScheduleConfigs<T, $M>>::into_configs($P).config),*];
                ScheduleConfigs { config: Config::Group(Group { members, chained: None, conditions: Vec::new() }) }
            }
        }
    };
}

macro_rules! tuples_up_to {
    ([$($P:ident $M:ident)*]) => {};
    ([$($P:ident $M:ident)*] $Next:ident $Marker:ident $($rest:ident)*) => {
        tuples!($($P $M)* $Next $Marker);
        tuples_up_to!([$($P $M)* $Next $Marker] $($rest)*);
    };
}

tuples_up_to!([] A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1 Q Q1 R R1 S S1 U U1 V V1);
