//! Reborrowing a parameter with a shorter lifetime.
//!
//! Tests: tests/systems/row_systems.rs

use core::marker::PhantomData;

use super::param::SystemParam;
use super::param_error::ParamError;
use super::params::{
    Deferred, FilteredResources, FilteredResourcesMut, If, Local, Lookup, MessageMutator, MessageReader, MessageWriter,
    ParamSet, Populated, RemovedComponents, RemovedValues, Res, ResMut, Single, StaticSystemParam, SystemName,
    WarnOnce,
};
#[cfg(feature = "std")]
use super::params::{NonSend, NonSendMarker, NonSendMut, ParallelCommands};
use crate::query::{Query, QueryData, QueryFilter, ReadOnlyQueryData};
use crate::system::commands::Commands;

/// A parameter that a row system can pass to its function once per row.
///
/// Where possible, this trait requires less than [`SystemParam`], so that an error in a parameter is reported only for
/// [`SystemParam`].
#[doc(hidden)]
pub trait Reborrow<'a> {
    /// The parameter with a shorter lifetime.
    type Short;

    fn reborrow(&'a mut self) -> Self::Short;
}

/// Implements [`Reborrow`] for parameters, each with an expression.
macro_rules! reborrow {
    ($($(#[$attribute:meta])* [$($generics:tt)*] $Param:ty => $Short:ty, |$this:ident| $short:expr;)*) => { $(
        $(#[$attribute])*
        impl<'a, $($generics)*> Reborrow<'a> for $Param {
            type Short = $Short;

            #[inline(always)]
            fn reborrow(&'a mut self) -> Self::Short {
                let $this = self;
                $short
            }
        }
    )* };
}

reborrow! {
    [R: ?Sized + 'static] Res<'_, R> => Res<'a, R>, |this| *this;
    [R: ?Sized + 'static] ResMut<'_, R> => ResMut<'a, R>, |this| ResMut::reborrow(this);
    #[cfg(feature = "std")]
    [T: ?Sized + 'static] NonSend<'_, T> => NonSend<'a, T>, |this| *this;
    #[cfg(feature = "std")]
    [T: ?Sized + 'static] NonSendMut<'_, T> => NonSendMut<'a, T>, |this| NonSendMut::reborrow(this);
    #[cfg(feature = "std")]
    [] NonSendMarker => Self, |this| NonSendMarker::again(this);
    [T: 'static] Deferred<'_, T> => Deferred<'a, T>, |this| Deferred::reborrow(this);
    [T: 'static] Local<'_, T> => Local<'a, T>, |this| Local::reborrow(this);
    [M: 'static] MessageWriter<'_, M> => MessageWriter<'a, M>, |this| MessageWriter::reborrow(this);
    [M: 'static] MessageReader<'_, '_, M> => MessageReader<'a, 'a, M>, |this| MessageReader::reborrow(this);
    [M: 'static] MessageMutator<'_, '_, M> => MessageMutator<'a, 'a, M>, |this| MessageMutator::reborrow(this);
    [T: 'static] RemovedComponents<'_, '_, T> => RemovedComponents<'a, 'a, T>, |this| RemovedComponents::reborrow(this);
    [T: 'static] RemovedValues<'_, '_, T> => RemovedValues<'a, 'a, T>, |this| RemovedValues::reborrow(this);
    #[cfg(feature = "std")]
    [] ParallelCommands<'_, '_> => ParallelCommands<'a, 'a>, |this| *this;
    [] Commands<'_, '_> => Commands<'a, 'a>, |this| Commands::reborrow(this);
    [D: QueryData, F: QueryFilter] Query<'_, '_, D, F> => Query<'a, 'a, D, F>, |this| Query::reborrow(this);
    [D: ReadOnlyQueryData, F: QueryFilter] Lookup<'_, '_, D, F> => Lookup<'a, 'a, D, F>, |this| *this;
    [D: QueryData, F: QueryFilter] Single<'_, '_, D, F> => Single<'a, 'a, D, F>, |this| Single::hand_on(this);
    [D: QueryData, F: QueryFilter] Populated<'_, '_, D, F> => Populated<'a, 'a, D, F>, |this| Populated::hand_on(this);
    [T: SystemParam] ParamSet<'_, '_, T> => ParamSet<'a, 'a, T::Item<'a, 'a>>, |this| ParamSet::reborrow(this);
    [] FilteredResources<'_, '_> => FilteredResources<'a, 'a>, |this| *this;
    [] FilteredResourcesMut<'_, '_> => FilteredResourcesMut<'a, 'a>, |this| FilteredResourcesMut::reborrow(this);
    [] SystemName => Self, |this| *this;
    [] WarnOnce<'_> => WarnOnce<'a>, |this| *this;
    [P: Reborrow<'a>] If<P> => If<P::Short>, |this| If(this.0.reborrow());
    [T: ?Sized] PhantomData<T> => Self, |_this| PhantomData;
    [P: Reborrow<'a>] Option<P> => Option<P::Short>, |this| this.as_mut().map(P::reborrow);
    [P: Reborrow<'a>] Result<P, ParamError> => Result<P::Short, ParamError>, |this| this.as_mut().map(P::reborrow).map_err(|error| error.clone());
    [T: ?Sized + 'static] &T => &'a T, |this| this;
}

impl<'a, 'w, 's, P> Reborrow<'a> for StaticSystemParam<'w, 's, P>
where
    P: SystemParam<Item<'w, 's>: Reborrow<'a, Short = P::Item<'a, 'a>>>,
{
    type Short = StaticSystemParam<'a, 'a, P>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> StaticSystemParam<'a, 'a, P> {
        StaticSystemParam(self.0.reborrow())
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<'a, $($T: Reborrow<'a>),*> Reborrow<'a> for ($($T,)*) {
            type Short = ($($T::Short,)*);

            #[inline(always)]
            fn reborrow(&'a mut self) -> Self::Short {
                ($(self.$at.reborrow(),)*)
            }
        }
    };
}

all_tuples!(tuples);

impl<'a> Reborrow<'a> for () {
    type Short = ();

    #[inline(always)]
    fn reborrow(&mut self) {}
}
