//! Handing a parameter on for a shorter time.

use super::param::SystemParam;
use super::params::{Local, Lookup, ParamSet, Res, ResMut};
use crate::command::Commands;
use crate::query::{Query, QueryData, QueryFilter, ReadOnlyQueryData};

/// A parameter that a row system can hand to its function once per row.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a row system",
    label = "cannot be handed to each row",
    note = "beside components, row systems take `Query`, `Res`, `ResMut`, `Local`, `Commands`, `&World`, `ParamSet` and tuples of \
            these"
)]
pub trait Reborrow {
    /// The same parameter for a shorter time.
    type Short<'a>
    where
        Self: 'a;

    fn reborrow(&mut self) -> Self::Short<'_>;
}

impl<R: ?Sized> Reborrow for Res<'_, R> {
    type Short<'a>
        = Res<'a, R>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Res<'_, R> {
        *self
    }
}

impl<R: ?Sized> Reborrow for ResMut<'_, R> {
    type Short<'a>
        = ResMut<'a, R>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> ResMut<'_, R> {
        ResMut::reborrow(self)
    }
}

impl<T> Reborrow for Local<'_, T> {
    type Short<'a>
        = Local<'a, T>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Local<'_, T> {
        Local::reborrow(self)
    }
}

impl Reborrow for Commands<'_, '_> {
    type Short<'a>
        = Commands<'a, 'a>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Commands<'_, '_> {
        Commands::reborrow(self)
    }
}

impl<D: QueryData, F: QueryFilter> Reborrow for Query<'_, '_, D, F> {
    type Short<'a>
        = Query<'a, 'a, D, F>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Query<'_, '_, D, F> {
        Query::reborrow(self)
    }
}

impl<D: ReadOnlyQueryData, F: QueryFilter> Reborrow for Lookup<'_, '_, D, F> {
    type Short<'a>
        = Lookup<'a, 'a, D, F>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Lookup<'_, '_, D, F> {
        *self
    }
}

impl<T: SystemParam> Reborrow for ParamSet<'_, '_, T> {
    type Short<'a>
        = ParamSet<'a, 'a, T::Item<'a, 'a>>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Self::Short<'_> {
        ParamSet::reborrow(self)
    }
}

impl<P: Reborrow> Reborrow for Option<P> {
    type Short<'a>
        = Option<P::Short<'a>>
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> Option<P::Short<'_>> {
        self.as_mut().map(P::reborrow)
    }
}

impl<T: ?Sized> Reborrow for &T {
    type Short<'a>
        = &'a T
    where
        Self: 'a;

    #[inline(always)]
    fn reborrow(&mut self) -> &T {
        self
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: Reborrow),*> Reborrow for ($($T,)*) {
            type Short<'a> = ($($T::Short<'a>,)*) where Self: 'a;

            #[inline(always)]
            fn reborrow(&mut self) -> Self::Short<'_> {
                ($(self.$at.reborrow(),)*)
            }
        }
    };
}

all_tuples!(tuples);
