//! Tuples of systems and sets, and what is said of a tuple with a member that is none.

use alloc::vec::Vec;

use super::config::{Config, Group, IntoScheduleConfigs, Schedulable, ScheduleConfigs, ScheduleShape};

/// Keeps tuples apart from single systems.
#[doc(hidden)]
pub struct TupleMarker;

/// The methods of systems for a tuple that has a member which is none.
///
/// Such a tuple is no [`IntoScheduleConfigs`], so rustc looks further for a method, and without this trait finds `chain` of iterators,
/// or nothing, and says that. It looks at references last, so this trait, of references alone, is never in the way: what calls one
/// of its methods does not compile, and the bounds say why, as those of [`add_systems`](super::Schedule::add_systems) do.
#[doc(hidden)]
pub trait TupleOfNoSystems: Sized {
    type Tuple;

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
}

/// A tuple that fulfils the bounds has the methods of [`IntoScheduleConfigs`], which rustc finds before.
fn never_called<T: Schedulable>() -> ScheduleConfigs<T> {
    unreachable!("a tuple of systems has methods of its own")
}

/// One impl for each number of members: each has a type, the marker of its kind, and a position.
macro_rules! tuples {
    ($($P:ident $M:ident)*) => {
        impl<$($P),*> TupleOfNoSystems for &($($P,)*) {
            type Tuple = ($($P,)*);
        }

        #[diagnostic::do_not_recommend]
        impl<$($P, $M),*> ScheduleShape<(TupleMarker, $($M),*)> for ($($P,)*) {
            type Whole = Self;

            fn whole(self) -> Self {
                self
            }
        }

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

tuples!(A A1);
tuples!(A A1 B B1);
tuples!(A A1 B B1 C C1);
tuples!(A A1 B B1 C C1 D D1);
tuples!(A A1 B B1 C C1 D D1 E E1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1 Q Q1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1 Q Q1 R R1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1 Q Q1 R R1 S S1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1 Q Q1 R R1 S S1 U U1);
tuples!(A A1 B B1 C C1 D D1 E E1 F F1 G G1 H H1 I I1 J J1 K K1 L L1 M M1 N N1 O O1 Q Q1 R R1 S S1 U U1 V V1);
