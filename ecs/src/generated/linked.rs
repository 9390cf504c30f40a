//! What the output of `#[system]` is made of where the function goes down or up a relationship.

use core::marker::PhantomData;

use super::RowAccess;
use crate::const_access::{ConstAccess, NamedAccess, Role};
use crate::query::{ChildRows, Fetch, QueryData, ReadOnlyFetch};
use crate::relationship::Relationship;
use crate::simd::Variants;
use crate::system::for_macros::LinkedOptions;
use crate::system::{
    BoxedSystem, EcsError, LinkedLoop, LinkedRowKernel, ParLinkedLoop, ReadAlong, SystemInput, SystemParam, TaskSource,
    VisitedRows,
};

/// The loop of a system along a relationship: for what is visited, `T`, and what is read along the way, `L`, in the variants `V`.
pub struct LinkedSystem<T, L, V, K, Marker> {
    kernel: K,
    marker: PhantomData<fn() -> (T, L, V, Marker)>,
}

impl<T, L, V, K, Marker> LinkedSystem<T, L, V, K, Marker> {
    /// Nothing is asked of the loop yet.
    pub const fn new(kernel: K) -> Self {
        Self { kernel, marker: PhantomData }
    }
}

impl<T, L, V, K, Marker> LinkedSystem<T, L, V, K, Marker>
where
    T: VisitedRows,
    L: ReadAlong,
    V: Variants,
    K: LinkedRowKernel<T::Data, L::Data, Marker>,
    Marker: 'static,
{
    /// The system that calls the loop for rows in the order of their depths.
    pub fn build(
        self,
        name: &'static str,
        params: &'static [&'static str],
        options: LinkedOptions,
    ) -> BoxedSystem<(), Result<(), EcsError>> {
        LinkedLoop::<T, L, V, K, Marker>::system(self.kernel, name, params, options)
    }
}

impl<T, L, V, K, Marker> LinkedSystem<T, L, V, K, Marker>
where
    T: VisitedRows,
    L: ReadAlong,
    V: Variants,
    K: LinkedRowKernel<T::Data, L::Data, Marker, Params: SystemParam<Source: TaskSource>>,
    Marker: 'static,
{
    /// The same, on several threads for each depth.
    pub fn build_par(
        self,
        name: &'static str,
        params: &'static [&'static str],
        options: LinkedOptions,
    ) -> BoxedSystem<(), Result<(), EcsError>> {
        ParLinkedLoop::<T, L, V, K, Marker>::system(self.kernel, name, params, options)
    }
}

/// Found where the function is none for such a system: see the documentation of the module above.
pub trait RefusedLinked: Sized {
    /// No system.
    fn build<In: SystemInput, Out>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: LinkedOptions,
    ) -> BoxedSystem<In, Out> {
        super::refused()
    }

    /// No system.
    fn build_par<In: SystemInput, Out>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: LinkedOptions,
    ) -> BoxedSystem<In, Out> {
        super::refused()
    }
}

impl<T, L, V, K> RefusedLinked for LinkedSystem<T, L, V, K, ()> {}

/// A parameter for what a target or sources have. With a type around it, rustc says what is wrong with the component.
pub struct LinkedTerm<D>(PhantomData<fn() -> D>);

impl<D: QueryData<Terms: ReadOnlyFetch>> RowAccess for LinkedTerm<D> {
    const ACCESS: ConstAccess = ConstAccess::Query(D::Terms::TERM);
}

/// A parameter for what a target or sources have, to be checked when the program is compiled.
pub const fn linked_access<D: RowAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, D::ACCESS, Role::Linked)
}

/// The relationship of a system, to be checked when the program is compiled.
pub const fn relationship<R: Relationship>() {}

/// What a parameter for sources gives of each.
pub type LinkedData<T> = <T as LinkedItems>::Data;

/// What is given of several linked entities: [`ChildRows`](crate::query::ChildRows).
pub trait LinkedItems {
    /// What of each.
    type Data: QueryData<Terms: ReadOnlyFetch>;
}

impl<P: QueryData<Terms: ReadOnlyFetch>> LinkedItems for ChildRows<'_, P> {
    type Data = P;
}
