//! Handing a parameter on for a shorter time.

use core::marker::PhantomData;

use super::base::ParamError;
use super::param::SystemParam;
use super::params::{
    Deferred, FilteredResources, FilteredResourcesMut, If, Local, Lookup, MessageMutator, MessageReader, MessageWriter,
    ParamSet, Populated, RemovedComponents, RemovedValues, Res, ResMut, Single, StaticSystemParam, SystemName,
    WarnOnce,
};
#[cfg(feature = "std")]
use super::params::{NonSend, NonSendMarker, NonSendMut, ParallelCommands};
use crate::command::Commands;
use crate::query::{Query, QueryData, QueryFilter, ReadOnlyQueryData};

/// A parameter that a row system can hand to its function once per row.
///
/// It asks less than [`SystemParam`] where it can: what is wrong with a parameter is said there, and only there.
#[doc(hidden)]
pub trait Reborrow<'a> {
    /// The same parameter for a shorter time.
    type Short;

    fn reborrow(&'a mut self) -> Self::Short;
}

impl<'a, R: ?Sized + 'static> Reborrow<'a> for Res<'_, R> {
    type Short = Res<'a, R>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Res<'a, R> {
        *self
    }
}

impl<'a, R: ?Sized + 'static> Reborrow<'a> for ResMut<'_, R> {
    type Short = ResMut<'a, R>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> ResMut<'a, R> {
        ResMut::reborrow(self)
    }
}

#[cfg(feature = "std")]
impl<'a, T: ?Sized + 'static> Reborrow<'a> for NonSend<'_, T> {
    type Short = NonSend<'a, T>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> NonSend<'a, T> {
        *self
    }
}

#[cfg(feature = "std")]
impl<'a, T: ?Sized + 'static> Reborrow<'a> for NonSendMut<'_, T> {
    type Short = NonSendMut<'a, T>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> NonSendMut<'a, T> {
        NonSendMut::reborrow(self)
    }
}

#[cfg(feature = "std")]
impl<'a> Reborrow<'a> for NonSendMarker {
    type Short = Self;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Self {
        NonSendMarker::again(self)
    }
}

impl<'a, T: 'static> Reborrow<'a> for Deferred<'_, T> {
    type Short = Deferred<'a, T>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Deferred<'a, T> {
        Deferred::reborrow(self)
    }
}

impl<'a, T: 'static> Reborrow<'a> for Local<'_, T> {
    type Short = Local<'a, T>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Local<'a, T> {
        Local::reborrow(self)
    }
}

impl<'a, M: 'static> Reborrow<'a> for MessageWriter<'_, M> {
    type Short = MessageWriter<'a, M>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> MessageWriter<'a, M> {
        MessageWriter::reborrow(self)
    }
}

impl<'a, M: 'static> Reborrow<'a> for MessageReader<'_, '_, M> {
    type Short = MessageReader<'a, 'a, M>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> MessageReader<'a, 'a, M> {
        MessageReader::reborrow(self)
    }
}

impl<'a, M: 'static> Reborrow<'a> for MessageMutator<'_, '_, M> {
    type Short = MessageMutator<'a, 'a, M>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> MessageMutator<'a, 'a, M> {
        MessageMutator::reborrow(self)
    }
}

impl<'a, T: 'static> Reborrow<'a> for RemovedComponents<'_, '_, T> {
    type Short = RemovedComponents<'a, 'a, T>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> RemovedComponents<'a, 'a, T> {
        RemovedComponents::reborrow(self)
    }
}

impl<'a, T: 'static> Reborrow<'a> for RemovedValues<'_, '_, T> {
    type Short = RemovedValues<'a, 'a, T>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> RemovedValues<'a, 'a, T> {
        RemovedValues::reborrow(self)
    }
}

#[cfg(feature = "std")]
impl<'a> Reborrow<'a> for ParallelCommands<'_, '_> {
    type Short = ParallelCommands<'a, 'a>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> ParallelCommands<'a, 'a> {
        *self
    }
}

impl<'a> Reborrow<'a> for Commands<'_, '_> {
    type Short = Commands<'a, 'a>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Commands<'a, 'a> {
        Commands::reborrow(self)
    }
}

impl<'a, D: QueryData, F: QueryFilter> Reborrow<'a> for Query<'_, '_, D, F> {
    type Short = Query<'a, 'a, D, F>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Query<'a, 'a, D, F> {
        Query::reborrow(self)
    }
}

impl<'a, D: ReadOnlyQueryData, F: QueryFilter> Reborrow<'a> for Lookup<'_, '_, D, F> {
    type Short = Lookup<'a, 'a, D, F>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Lookup<'a, 'a, D, F> {
        *self
    }
}

impl<'a, D: QueryData, F: QueryFilter> Reborrow<'a> for Single<'_, '_, D, F> {
    type Short = Single<'a, 'a, D, F>;

    #[inline]
    fn reborrow(&'a mut self) -> Single<'a, 'a, D, F> {
        Single::hand_on(self)
    }
}

impl<'a, D: QueryData, F: QueryFilter> Reborrow<'a> for Populated<'_, '_, D, F> {
    type Short = Populated<'a, 'a, D, F>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Populated<'a, 'a, D, F> {
        Populated::hand_on(self)
    }
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

impl<'a, T: SystemParam> Reborrow<'a> for ParamSet<'_, '_, T> {
    type Short = ParamSet<'a, 'a, T::Item<'a, 'a>>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Self::Short {
        ParamSet::reborrow(self)
    }
}

impl<'a> Reborrow<'a> for FilteredResources<'_, '_> {
    type Short = FilteredResources<'a, 'a>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> FilteredResources<'a, 'a> {
        *self
    }
}

impl<'a> Reborrow<'a> for FilteredResourcesMut<'_, '_> {
    type Short = FilteredResourcesMut<'a, 'a>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> FilteredResourcesMut<'a, 'a> {
        FilteredResourcesMut::reborrow(self)
    }
}

impl<'a> Reborrow<'a> for SystemName {
    type Short = Self;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Self {
        *self
    }
}

impl<'a> Reborrow<'a> for WarnOnce<'_> {
    type Short = WarnOnce<'a>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Self {
        *self
    }
}

impl<'a, P: Reborrow<'a>> Reborrow<'a> for If<P> {
    type Short = If<P::Short>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> If<P::Short> {
        If(self.0.reborrow())
    }
}

impl<'a, T: ?Sized> Reborrow<'a> for PhantomData<T> {
    type Short = Self;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Self {
        PhantomData
    }
}

impl<'a, P: Reborrow<'a>> Reborrow<'a> for Option<P> {
    type Short = Option<P::Short>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Option<P::Short> {
        self.as_mut().map(P::reborrow)
    }
}

impl<'a, P: Reborrow<'a>> Reborrow<'a> for Result<P, ParamError> {
    type Short = Result<P::Short, ParamError>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> Result<P::Short, ParamError> {
        self.as_mut().map(P::reborrow).map_err(|error| error.clone())
    }
}

impl<'a, T: ?Sized + 'static> Reborrow<'a> for &T {
    type Short = &'a T;

    #[inline(always)]
    fn reborrow(&'a mut self) -> &'a T {
        self
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
