//! Parameters that cannot change the world.
//!
//! Tests: tests/systems/params/conditions.rs, tests/ui/fail

use super::filtered_resources::FilteredSource;
use super::lookup::LookupSource;
#[cfg(feature = "std")]
use super::non_send::{MarkerSource, NonSendSource};
use super::optional::{OptionSource, ResultSource, SkippingSource};
use super::query::QuerySource;
use super::removed::{RemovalReader, RemovedSource};
use super::resource::{Reads, ResourceSource, ResourceSourceWith, ResourceState};
use super::set::SetSource;
use super::single::{PopulatedSource, SingleSource};
use super::vec::VecSource;
use crate::query::{FilterTerms, ReadOnlyFetch};
use crate::storage::resource::Resource;
use crate::system::param::ParamSource;
use crate::util::tuples::Groups;

/// The source of a parameter that cannot change the world, neither while the system runs nor afterwards.
#[doc(hidden)]
pub trait ReadOnlySource: ParamSource {}

impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for QuerySource<T, F> {}
impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for LookupSource<T, F> {}
impl<R: Resource> ReadOnlySource for ResourceSource<R, Reads> {}
impl ReadOnlySource for FilteredSource<Reads> {}
impl<R: Resource + Default, K: ResourceState<R>> ReadOnlySource for ResourceSourceWith<R, Reads, K> {}
#[cfg(feature = "std")]
impl<T: 'static> ReadOnlySource for NonSendSource<T, Reads> {}
#[cfg(feature = "std")]
impl ReadOnlySource for MarkerSource {}
impl<R: RemovalReader> ReadOnlySource for RemovedSource<R> {}
impl<S: ReadOnlySource> ReadOnlySource for SetSource<S> where Self: ParamSource {}
impl<S: ReadOnlySource> ReadOnlySource for VecSource<S> {}
impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for SingleSource<T, F> {}
impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlySource for PopulatedSource<T, F> {}
impl<S: ReadOnlySource> ReadOnlySource for OptionSource<S> {}
impl<S: ReadOnlySource> ReadOnlySource for ResultSource<S> {}
impl<S: ReadOnlySource> ReadOnlySource for SkippingSource<S> {}
impl ReadOnlySource for () {}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: ReadOnlySource),*> ReadOnlySource for ($($T,)*) {}
    };
}

small_tuples!(tuples);

impl<T: ReadOnlySource> ReadOnlySource for Groups<T> {}
