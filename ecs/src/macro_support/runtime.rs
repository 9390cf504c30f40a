//! The runtime part of `#[system]`: the systems that wrap the generated loop or call.
//!
//! An error in one parameter is to be reported once, at its type, by the check that the macro emits. So everything else
//! here accepts any type, and becomes code that never runs if the check has failed. For this, methods with bounds are
//! in `impl`s with the bounds, and a trait provides a method with the same name for every other type. Method lookup
//! chooses one of them.
//!
//! Some errors can be found only by the compiler, such as a type that is not a parameter. The emitted constant triggers
//! such an error once, at the user's type. All other uses of that type in the output either have no bounds or have the
//! position of the user's tokens, so the compiler treats a second error as a duplicate of the first.
//!
//! Tests: tests/systems/row_systems.rs

mod linked;
mod observers;
mod pairs;

use alloc::boxed::Box;
use core::marker::PhantomData;

use crate::access::const_access::{ConstAccess, NamedAccess, Role};
use crate::component::{Component, MutableComponent};
use crate::entity::Entity;
use crate::query::change::{Mut, Ref};
use crate::query::{ContiguousFetch, Fetch, FilterTerms, Has, MutSlice, QueryData, QueryFilter, RefSlice};
use crate::system::for_macros::{LinkedSystem, LoopResMut, Reborrow, SliceOf};
use crate::system::{
    BoxedSystem, EcsError, ParamSource, ResMut, RowLoop, Skipped, SystemCondition, SystemInput, SystemParam,
    SystemParamFunction, TaskSource, WrittenInput, function_system, only_if,
};
use crate::util::simd::{Narrow, Wide};

pub use self::linked::{LinkedData, LinkedItems, LinkedTerm, linked_access, relationship};
pub use self::observers::{GivenRows, TargetSystem, has_target};
pub use self::pairs::{RefusedPairs, ValueOf, each_pair, pair_is_added, pair_is_changed, pair_of, target_access};

/// Stands for a system with wrong parameters. It never runs, because the program does not compile.
#[cold]
fn refused() -> ! {
    panic!("a system with an error in its parameters is not built")
}

/// Returns a placeholder for the system of an item with an error.
#[must_use]
pub fn refused_system<In: SystemInput>() -> BoxedSystem<In, Result<(), EcsError>> {
    refused()
}

/// The function of a world system, which takes all parameters as one tuple.
pub struct WorldSystem<F, Marker> {
    function: F,
    marker: PhantomData<fn() -> Marker>,
}

impl<F, Marker> WorldSystem<F, Marker> {
    /// Wraps a function. There are no bounds on the function.
    pub const fn new(function: F) -> Self {
        Self { function, marker: PhantomData }
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> WorldSystem<F, Marker> {
    /// Returns the system that calls the function.
    pub fn build(self, name: &'static str, params: &'static [&'static str]) -> BoxedSystem<F::In, F::Out> {
        function_system(name, params, self.function)
    }
}

/// The rows that a row system visits: those with the data `D` that match the filter `F`.
pub struct RowsOf<D, F>(PhantomData<fn() -> (D, F)>);

impl<D, F> RowsOf<D, F> {
    /// Makes a loop over the rows, compiled in variants for several instruction sets.
    pub const fn wide<K, Marker>(kernel: K) -> RowLoop<D, F, Wide, K, Marker> {
        Self::in_variants(kernel)
    }

    /// Makes a loop over the rows, compiled only for the baseline instruction set.
    pub const fn narrow<K, Marker>(kernel: K) -> RowLoop<D, F, Narrow, K, Marker> {
        Self::in_variants(kernel)
    }

    /// Makes a loop over the rows, compiled in the variants `V`.
    pub const fn in_variants<V, K, Marker>(kernel: K) -> RowLoop<D, F, V, K, Marker> {
        RowLoop::new(kernel)
    }
}

/// The fallback for a function that is not a system, or not a loop over rows: see the documentation of the module.
pub trait Refused: Sized {
    /// Never called.
    fn build<In: SystemInput, Out>(self, _: &'static str, _: &'static [&'static str]) -> BoxedSystem<In, Out> {
        refused()
    }

    /// Never called.
    fn build_par<In: SystemInput, Out>(self, _: &'static str, _: &'static [&'static str]) -> BoxedSystem<In, Out> {
        refused()
    }
}

impl<F> Refused for WorldSystem<F, ()> {}
impl<D, F, V, K> Refused for RowLoop<D, F, V, K, ()> {}
impl<T, L, V, K> Refused for LinkedSystem<T, L, V, K, ()> {}

/// Converts a condition of a system into a system.
pub fn condition<Marker>(condition: impl SystemCondition<Marker>) -> BoxedSystem<(), bool> {
    condition.into_condition()
}

/// Returns the output of a system that is not run.
pub fn skipped<Out: Skipped>() -> Out {
    Out::skipped()
}

/// Returns a system that runs `system` only if all conditions hold. Otherwise `skipped` returns the output.
pub fn run_if<In: SystemInput + 'static, Out: 'static, const N: usize>(
    system: BoxedSystem<In, Out>,
    conditions: [BoxedSystem<(), bool>; N],
    skipped: fn() -> Out,
) -> BoxedSystem<In, Out> {
    only_if(Box::new(conditions), system, skipped)
}

/// The types that can be row parameters. The trait is implemented for the types themselves. So if a user's type has the
/// same name as one of them, it is not mistaken for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a row has: if it is a system parameter, write `#[param]` before it",
    label = "taken for a row parameter because of its form, but it is none",
    note = "row parameters are `&T` and `&mut T` of a component, `Ref<T>`, `Mut<T>`, an `Option` of one of these, `Has<T>` and `Entity`"
)]
pub trait RowData: QueryData<Terms: ContiguousFetch> {
    /// The value that the function takes.
    type Row<'a>;

    /// Returns the value for one row of a slice.
    fn row<'a>(slice: &'a mut SliceOf<'_, Self>, row: usize) -> Self::Row<'a>;
}

/// Implements `RowData` for `$Type`. `$row` is an expression for the value of the row `$at` in `$slice`.
macro_rules! row_data {
    ($([$($generics:tt)*] $Type:ty => $Row:ty, |$slice:ident, $at:ident| $row:expr;)*) => {
        $(impl<$($generics)*> RowData for $Type {
            type Row<'a> = $Row;

            #[inline(always)]
            #[allow(clippy::needless_lifetimes, reason = "some rows borrow nothing")]
            fn row<'a>($slice: &'a mut SliceOf<'_, Self>, $at: usize) -> $Row {
                $row
            }
        })*
    };
}

row_data! {
    [C: Component] &C => &'a C, |slice, at| &slice[at];
    [C: MutableComponent] &mut C => &'a mut C, |slice, at| &mut slice[at];
    [C: MutableComponent] Mut<'_, C> => Mut<'a, C>, |slice, at| slice.at(at);
    [C: Component] Ref<'_, C> => Ref<'a, C>, |slice, at| slice.at(at);
    [C: Component] Option<&C> => Option<&'a C>, |slice, at| slice.map(|slice| &slice[at]);
    [C: MutableComponent] Option<&mut C> => Option<&'a mut C>, |slice, at| slice.as_mut().map(|slice| &mut slice[at]);
    [C: MutableComponent] Option<Mut<'_, C>> => Option<Mut<'a, C>>, |slice, at| slice.as_mut().map(|slice| slice.at(at));
    [C: Component] Option<Ref<'_, C>> => Option<Ref<'a, C>>, |slice, at| slice.as_ref().map(|slice| slice.at(at));
    [C: Component] Has<C> => bool, |slice, _at| *slice;
    [] Entity => Self, |slice, at| slice[at];
}

/// A row parameter. Because of this wrapper type, rustc reports an error for the component and not for the reference to
/// it.
pub struct RowParam<D>(PhantomData<fn() -> D>);

/// The access of a row parameter.
pub trait RowAccess {
    /// The access.
    const ACCESS: ConstAccess;
}

impl<D: RowData> RowAccess for RowParam<D> {
    const ACCESS: ConstAccess = ConstAccess::Query(D::Terms::TERM);
}

/// Returns the access of a row parameter, for the check at compile time.
pub const fn row_access<D: RowAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, D::ACCESS, Role::Row)
}

/// A system parameter. This wrapper type has the same reason as [`RowParam`].
pub struct Param<P>(PhantomData<fn() -> P>);

/// The access of a system parameter.
pub trait ParamConstAccess {
    /// The access.
    const ACCESS: ConstAccess;
}

impl<P: SystemParam> ParamConstAccess for Param<P> {
    const ACCESS: ConstAccess = P::Source::ACCESS;
}

/// Returns the access of a parameter, for the check at compile time.
pub const fn param_access<P: ParamConstAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, P::ACCESS, Role::Param)
}

/// A system parameter of a loop over rows on several threads.
pub struct ParParam<P>(PhantomData<fn() -> P>);

impl<P: SystemParam<Source: TaskSource>> ParamConstAccess for ParParam<P> {
    const ACCESS: ConstAccess = P::Source::ACCESS;
}

/// Checks at compile time that a type is an input of a system.
pub const fn input<I: WrittenInput>() {}

/// Returns the access of a filter option, with the name of the option, for the check at compile time.
pub const fn filter_access<F: QueryFilter>(option: &'static str) -> NamedAccess {
    NamedAccess::new(option, ConstAccess::Query(F::Terms::TERM), Role::Filter)
}

/// The type of a row parameter as the user wrote it.
pub struct Row<T>(PhantomData<fn() -> T>);

/// Checks that the value of a row has the type that the user wrote.
macro_rules! row_is {
    ($([$($generics:tt)*] $Type:ty),*) => {
        $(impl<$($generics)*> Row<$Type> {
            /// Returns the value unchanged.
            #[inline(always)]
            pub fn of(value: $Type) -> $Type {
                value
            }
        })*
    };
}

row_is! {
    [] Entity,
    [] Option<Entity>,
    ['a, C] Mut<'a, C>,
    ['a, C] Ref<'a, C>,
    ['a, C] Option<&'a C>,
    ['a, C] Option<&'a mut C>,
    ['a, C] Option<Mut<'a, C>>,
    ['a, C] Option<Ref<'a, C>>
}

/// The fallback for a user's type that only has the same name as a type of the library.
pub trait OtherRow: Sized {
    /// The type that the user wrote.
    type Written;

    /// Never called.
    fn of<V>(_: V) -> Self::Written {
        refused()
    }
}

impl<T> OtherRow for Row<T> {
    type Written = T;
}

/// Returns the value of a `Mut` parameter for a row.
#[inline(always)]
pub fn mut_row<'a, C>(slice: &'a mut MutSlice<'_, C>, row: usize) -> Mut<'a, C> {
    slice.at(row)
}

/// Returns the value of a `Ref` parameter for a row.
#[inline(always)]
pub fn ref_row<'a, C>(slice: &'a RefSlice<'_, C>, row: usize) -> Ref<'a, C> {
    slice.at(row)
}

/// Returns the value of a parameter for a row. The parameter is marked with `#[row]`, because its type as written does
/// not show that it is a row parameter.
#[inline(always)]
pub fn marked_row<'a, D: RowData>(slice: &'a mut SliceOf<'_, D>, row: usize) -> D::Row<'a> {
    D::row(slice, row)
}

/// A parameter that is reborrowed for each row.
pub struct Lend<'a, P>(PhantomData<fn() -> &'a P>);

/// Captures the type of the parameter, so that the macro output need not contain it.
#[inline(always)]
pub fn lend<'a, P>(_: &P) -> Lend<'a, P> {
    Lend(PhantomData)
}

impl<'a, P: Reborrow<'a>> Lend<'a, P> {
    /// Reborrows the parameter for one row.
    #[inline(always)]
    pub fn on(self, param: &'a mut P) -> P::Short {
        param.reborrow()
    }
}

impl<'a, R: 'static> Lend<'a, ResMut<'_, R>> {
    /// Returns the parameter in the form in which it is used during a loop.
    #[inline(always)]
    pub fn for_loop<'p>(self, param: &'p mut ResMut<'_, R>) -> LoopResMut<'p, R> {
        LoopResMut::begin(param)
    }
}

/// The fallback for a type that is not a parameter, or that needs no special treatment in a loop.
pub trait LendNothing: Sized {
    /// The type of the parameter.
    type Param;

    /// Returns the parameter in the form in which it is used during a loop: unchanged.
    #[inline(always)]
    fn for_loop(self, param: &mut Self::Param) -> &mut Self::Param {
        param
    }

    /// Reports the error that the type is not a parameter, if no other check does.
    fn on(self, _: &mut Self::Param) -> Self::Param {
        const { panic!("a parameter of a row system cannot be handed to each row: it lacks `#[derive(SystemParam)]`") }
    }
}

impl<P> LendNothing for Lend<'_, P> {
    type Param = P;
}
