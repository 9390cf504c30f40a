//! Which parameters cannot change the world.

use super::lookup::LookupSource;
#[cfg(feature = "std")]
use super::non_send::{MarkerSource, NonSendSource, OptionNonSendSource};
use super::query::QuerySource;
use super::removed::{RemovedSource, RemovedValuesSource};
use super::resource::{Kept, OptionResSource, ResSource, ResWith};
use super::set::SetSource;
use super::single::{PopulatedSource, SingleSource, Unskipped};
use crate::component::Component;
use crate::query::{FilterTerms, ReadOnlyFetch};
use crate::resource::Resource;
use crate::system::param::ParamSource;

/// The source of a parameter that cannot change the world, neither while the system runs nor afterwards.
#[doc(hidden)]
pub trait ReadOnlySource: ParamSource {}

impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for QuerySource<T, F> {}
impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for LookupSource<T, F> {}
impl<R: Resource> ReadOnlySource for ResSource<R> {}
impl<R: Resource> ReadOnlySource for OptionResSource<R> {}
impl<R: Resource + Default, K: Kept<R>> ReadOnlySource for ResWith<R, K> {}
#[cfg(feature = "std")]
impl<T: 'static> ReadOnlySource for NonSendSource<T> {}
#[cfg(feature = "std")]
impl<T: 'static> ReadOnlySource for OptionNonSendSource<T> {}
#[cfg(feature = "std")]
impl ReadOnlySource for MarkerSource {}
impl<T: Component> ReadOnlySource for RemovedSource<T> {}
impl<T: Component> ReadOnlySource for RemovedValuesSource<T> {}
impl<S: ReadOnlySource> ReadOnlySource for SetSource<S> where Self: ParamSource {}
impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for SingleSource<T, F> {}
impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for PopulatedSource<T, F> {}
impl<S: ReadOnlySource> ReadOnlySource for Unskipped<S> {}
impl ReadOnlySource for () {}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: ReadOnlySource),*> ReadOnlySource for ($($T,)*) {}
    };
}

all_tuples!(tuples);
