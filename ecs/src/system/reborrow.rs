//! Handing a parameter on for a shorter time.

use super::param::{Local, Res, ResMut};
use crate::command::Commands;
use crate::query::{Query, QueryData, QueryFilter};

/// A parameter that a row system can hand to its function once per row.
#[doc(hidden)]
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
