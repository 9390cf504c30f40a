//! Several parameters as one.
//!
//! Tests: tests/systems/systems.rs

use crate::access::const_access::ConstAccess;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::{BuildParam, BuildSite, Built, ParamSource, SystemParam, add_rows};
use crate::system::param_error::ParamError;
use crate::util::tuples::Groups;

// SAFETY: borrows nothing.
unsafe impl ParamSource for () {
    type State = ();
    type Got<'w, 's> = ();

    const COUNT: usize = 0;

    fn init(_: &mut Store, _: &mut SystemMeta) {}

    #[inline]
    unsafe fn get<'w, 's>((): &'s mut (), _: StoreCell<'w>) -> Result<(), ParamError> {
        Ok(())
    }
}

params! {
    [] () => (), (), |()| ();
}

/// Implements the source of up to four parameters. A larger tuple is a tuple of such groups.
macro_rules! sources {
    ($($T:ident $at:tt)*) => {
        // SAFETY: each member adds its own access.
        unsafe impl<$($T: ParamSource),*> ParamSource for ($($T,)*) {
            type State = ($($T::State,)*);
            type Got<'w, 's> = ($($T::Got<'w, 's>,)*);

            const COUNT: usize = 0 $(+ $T::COUNT)*;
            const RECORDERS: usize = 0 $(+ $T::RECORDERS)*;
            const ACCESS: ConstAccess = ConstAccess::Params(&[$($T::ACCESS),*]);

            fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
                ($($T::init(store, meta),)*)
            }

            #[inline]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                cell: StoreCell<'w>,
            ) -> Result<Self::Got<'w, 's>, ParamError> {
                $(
                    // SAFETY: both clauses are forwarded for each member.
                    let $T = match unsafe { $T::get(&mut state.$at, cell) } {
                        Ok(got) => got,
                        Err(error) => return Err(error),
                    };
                )*
                Ok(($($T,)*))
            }

            #[inline]
            fn apply(state: &mut Self::State, meta: &SystemMeta, store: &mut Store) {
                apply_members!(Self, state, meta, store, $($T $at $at)*);
            }

            fn rows(state: &Self::State, store: &Store) -> Option<usize> {
                [$($T::rows(&state.$at, store)),*].into_iter().fold(None, add_rows)
            }

            fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
                $($T::visit_state(&mut state.$at, keeper);)*
            }

            fn discard(state: &mut Self::State) {
                $($T::discard(&mut state.$at);)*
            }
        }
    };
}

small_tuples!(sources);

macro_rules! small {
    ($($T:ident $at:tt)*) => {
        impl<$($T: SystemParam),*> SystemParam for ($($T,)*) {
            type Source = ($($T::Source,)*);
            type Item<'w, 's> = ($($T::Item<'w, 's>,)*);

            #[inline]
            fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                ($($T::item(got.$at),)*)
            }
        }
    };
}

small_tuples!(small);

macro_rules! large {
    ($([$($T:ident $at:tt)*])*) => {
        impl<$($($T: SystemParam),*),*> SystemParam for ($($($T,)*)*) {
            type Source = Groups<($(($($T::Source,)*),)*)>;
            type Item<'w, 's> = ($($($T::Item<'w, 's>,)*)*);

            #[inline]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn item<'w, 's>(($(($($T,)*),)*): <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                ($($($T::item($T),)*)*)
            }
        }
    };
}

large_tuples!(large);

forwarding_source! {
    [T: ParamSource] Groups<T> => T, T::Got<'w, 's>;
    COUNT = T::COUNT, ACCESS = T::ACCESS.as_groups();
    init |store, meta| T::init(store, meta);
    get |got| got;
}

impl BuildParam<()> for () {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, ()> {
        site.init()
    }
}

/// Implements builders of tuples, in the same groups as the parameters. Each member has a parameter type, a builder, and a
/// position.
macro_rules! builders {
    ($([$($P:ident $B:ident $at:tt),*])*) => {
        impl<$($($P: SystemParam, $B: BuildParam<$P>),*),*> BuildParam<($($($P,)*)*)> for ($($($B,)*)*) {
            fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, <($($($P,)*)*) as SystemParam>::Source> {
                let states = grouped!($([$(self.$at.build(site).state),*])*);
                // SAFETY: each member was built at this site.
                unsafe { Built::new(states) }
            }
        }
    };
}

builders!([A OfA 0]);
builders!([A OfA 0, B OfB 1]);
builders!([A OfA 0, B OfB 1, C OfC 2]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8, J OfJ 9]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8, J OfJ 9, K OfK 10]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8, J OfJ 9, K OfK 10, L OfL 11]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8, J OfJ 9, K OfK 10, L OfL 11] [M OfM 12]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8, J OfJ 9, K OfK 10, L OfL 11] [M OfM 12, N OfN 13]);
builders!([A OfA 0, B OfB 1, C OfC 2, D OfD 3] [E OfE 4, F OfF 5, G OfG 6, H OfH 7] [I OfI 8, J OfJ 9, K OfK 10, L OfL 11] [M OfM 12, N OfN 13, O OfO 14]);
