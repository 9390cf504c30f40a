//! What the output of `#[system]` is made of: the systems that its loop or its call becomes.
//!
//! A mistake in one parameter is to be reported once, at its type, by the check that the macro emits. Everything else here
//! therefore accepts any types, and turns into something that is never run where the check has failed: methods with bounds
//! stand in `impl`s whose bounds decide whether they are found, beside a trait that has the same method for every type.
//!
//! What only the compiler can find, such as a type that is no parameter, is asked once, by the emitted constant, at the
//! user's type. Everything else that the output says of that type either has no bounds or has the position of the user's
//! tokens, so that the compiler takes a second error for the first.

mod linked;
mod observers;
mod pairs;

use alloc::boxed::Box;
use core::marker::PhantomData;

use crate::change::{Mut, Ref};
use crate::component::{Component, MutableComponent};
use crate::const_access::{ConstAccess, NamedAccess, Role};
use crate::entity::Entity;
use crate::query::{ContiguousFetch, Fetch, FilterTerms, Has, MutSlice, QueryData, QueryFilter, RefSlice};
use crate::simd::{Narrow, Wide};
use crate::system::for_macros::{LinkedSystem, LoopResMut, Reborrow, SliceOf};
use crate::system::{
    BoxedSystem, EcsError, ParamSource, ResMut, RowLoop, Skipped, SystemCondition, SystemInput, SystemParam,
    SystemParamFunction, TaskSource, WrittenInput, function_system, only_if,
};

pub use self::linked::{LinkedData, LinkedItems, LinkedTerm, linked_access, relationship};
pub use self::observers::{GivenRows, TargetSystem, has_target};
pub use self::pairs::{RefusedPairs, ValueOf, each_pair, pair_is_added, pair_is_changed, pair_of, target_access};

/// What stands in for a system whose parameters are wrong: the program does not compile.
#[cold]
fn refused() -> ! {
    panic!("a system with an error in its parameters is not built")
}

/// What an item with a mistake converts into.
#[must_use]
pub fn refused_system<In: SystemInput>() -> BoxedSystem<In, Result<(), EcsError>> {
    refused()
}

/// A function that takes all parameters of a world system as one tuple.
pub struct WorldSystem<F, Marker> {
    function: F,
    marker: PhantomData<fn() -> Marker>,
}

impl<F, Marker> WorldSystem<F, Marker> {
    /// Nothing is asked of the function yet.
    pub const fn new(function: F) -> Self {
        Self { function, marker: PhantomData }
    }
}

impl<Marker: 'static, F: SystemParamFunction<Marker, Out: 'static>> WorldSystem<F, Marker> {
    /// The system that calls the function.
    pub fn build(self, name: &'static str, params: &'static [&'static str]) -> BoxedSystem<F::In, F::Out> {
        function_system(name, params, self.function)
    }
}

/// The rows that a row system goes through: those with the data `D` that the filter `F` lets through.
pub struct RowsOf<D, F>(PhantomData<fn() -> (D, F)>);

impl<D, F> RowsOf<D, F> {
    /// A loop over them in variants for instruction sets.
    pub const fn wide<K, Marker>(kernel: K) -> RowLoop<D, F, Wide, K, Marker> {
        Self::in_variants(kernel)
    }

    /// A loop over them for the baseline alone.
    pub const fn narrow<K, Marker>(kernel: K) -> RowLoop<D, F, Narrow, K, Marker> {
        Self::in_variants(kernel)
    }

    /// A loop over them in the variants `V`.
    pub const fn in_variants<V, K, Marker>(kernel: K) -> RowLoop<D, F, V, K, Marker> {
        RowLoop::new(kernel)
    }
}

/// Found where the function is none for a system, or for a loop over rows: see the module's documentation.
pub trait Refused: Sized {
    /// No system.
    fn build<In: SystemInput, Out>(self, _: &'static str, _: &'static [&'static str]) -> BoxedSystem<In, Out> {
        refused()
    }

    /// No system.
    fn build_par<In: SystemInput, Out>(self, _: &'static str, _: &'static [&'static str]) -> BoxedSystem<In, Out> {
        refused()
    }
}

impl<F> Refused for WorldSystem<F, ()> {}
impl<D, F, V, K> Refused for RowLoop<D, F, V, K, ()> {}
impl<T, L, V, K> Refused for LinkedSystem<T, L, V, K, ()> {}

/// A condition of a system, as a system.
pub fn condition<Marker>(condition: impl SystemCondition<Marker>) -> BoxedSystem<(), bool> {
    condition.into_condition()
}

/// The output of a system that is not run.
pub fn skipped<Out: Skipped>() -> Out {
    Out::skipped()
}

/// The system, which is run only if all conditions hold.
pub fn run_if<In: SystemInput + 'static, Out: 'static, const N: usize>(
    system: BoxedSystem<In, Out>,
    conditions: [BoxedSystem<(), bool>; N],
    skipped: fn() -> Out,
) -> BoxedSystem<In, Out> {
    only_if(Box::new(conditions), system, skipped)
}

/// What a row parameter may be. By name, so that a type of the user's with the name of one of these is not taken for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a row has: if it is a system parameter, write `#[param]` before it",
    label = "taken for a row parameter because of its form, but it is none",
    note = "row parameters are `&T` and `&mut T` of a component, `Ref<T>`, `Mut<T>`, an `Option` of one of these, `Has<T>` and `Entity`"
)]
pub trait RowData: QueryData<Terms: ContiguousFetch> {
    /// What the function gets.
    type Row<'a>;

    /// One row of several.
    fn row<'a>(slice: &'a mut SliceOf<'_, Self>, row: usize) -> Self::Row<'a>;
}

/// `T` as a row parameter: `$row` is the value of the row `$at` in `$slice`.
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

/// A row parameter. With a type around it, rustc says what is wrong with the component and not with the reference to it.
pub struct RowParam<D>(PhantomData<fn() -> D>);

/// What a row parameter borrows.
pub trait RowAccess {
    /// It.
    const ACCESS: ConstAccess;
}

impl<D: RowData> RowAccess for RowParam<D> {
    const ACCESS: ConstAccess = ConstAccess::Query(D::Terms::TERM);
}

/// A row parameter of a system, to be checked when the program is compiled.
pub const fn row_access<D: RowAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, D::ACCESS, Role::Row)
}

/// A system parameter, with a type around it as [`RowParam`] has one.
pub struct Param<P>(PhantomData<fn() -> P>);

/// What a system parameter borrows.
pub trait ParamAccess {
    /// It.
    const ACCESS: ConstAccess;
}

impl<P: SystemParam> ParamAccess for Param<P> {
    const ACCESS: ConstAccess = P::Source::ACCESS;
}

/// A parameter of a system, to be checked when the program is compiled.
pub const fn param_access<P: ParamAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, P::ACCESS, Role::Param)
}

/// A system parameter of rows that are gone through on several threads.
pub struct ParParam<P>(PhantomData<fn() -> P>);

impl<P: SystemParam<Source: TaskSource>> ParamAccess for ParParam<P> {
    const ACCESS: ConstAccess = P::Source::ACCESS;
}

/// The input of a system, to be checked when the program is compiled.
pub const fn input<I: WrittenInput>() {}

/// What the rows of a system are filtered by, with the name of the option, to be checked when the program is compiled.
pub const fn filter_access<F: QueryFilter>(option: &'static str) -> NamedAccess {
    NamedAccess::new(option, ConstAccess::Query(F::Terms::TERM), Role::Filter)
}

/// The type of a row parameter as the user wrote it.
pub struct Row<T>(PhantomData<fn() -> T>);

/// The value of a row is of the type that the user wrote.
macro_rules! row_is {
    ($([$($generics:tt)*] $Type:ty),*) => {
        $(impl<$($generics)*> Row<$Type> {
            /// The value.
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

/// The user's type is another one of the same name.
pub trait OtherRow: Sized {
    /// It.
    type Written;

    /// No value.
    fn of<V>(_: V) -> Self::Written {
        refused()
    }
}

impl<T> OtherRow for Row<T> {
    type Written = T;
}

/// The row of a `Mut` parameter.
#[inline(always)]
pub fn mut_row<'a, C>(slice: &'a mut MutSlice<'_, C>, row: usize) -> Mut<'a, C> {
    slice.at(row)
}

/// The row of a `Ref` parameter.
#[inline(always)]
pub fn ref_row<'a, C>(slice: &'a RefSlice<'_, C>, row: usize) -> Ref<'a, C> {
    slice.at(row)
}

/// The row of a parameter that is marked with `#[row]`: its form does not say what it is.
#[inline(always)]
pub fn marked_row<'a, D: RowData>(slice: &'a mut SliceOf<'_, D>, row: usize) -> D::Row<'a> {
    D::row(slice, row)
}

/// A parameter that is handed to each row.
pub struct Lend<'a, P>(PhantomData<fn() -> &'a P>);

/// The parameter of this type.
#[inline(always)]
pub fn lend<'a, P>(_: &P) -> Lend<'a, P> {
    Lend(PhantomData)
}

impl<'a, P: Reborrow<'a>> Lend<'a, P> {
    /// The parameter for a shorter time.
    #[inline(always)]
    pub fn on(self, param: &'a mut P) -> P::Short {
        param.reborrow()
    }
}

impl<'a, R: 'static> Lend<'a, ResMut<'_, R>> {
    /// The parameter for the time of a loop.
    #[inline(always)]
    pub fn for_loop<'p>(self, param: &'p mut ResMut<'_, R>) -> LoopResMut<'p, R> {
        LoopResMut::begin(param)
    }
}

/// Found where the parameter is none, or is like others.
pub trait LendNothing: Sized {
    /// Its type.
    type Param;

    /// The parameter for the time of a loop.
    #[inline(always)]
    fn for_loop(self, param: &mut Self::Param) -> &mut Self::Param {
        param
    }

    /// No parameter. Where nothing else is wrong with it, this is what says so.
    fn on(self, _: &mut Self::Param) -> Self::Param {
        const { panic!("a parameter of a row system cannot be handed to each row: it lacks `#[derive(SystemParam)]`") }
    }
}

impl<P> LendNothing for Lend<'_, P> {
    type Param = P;
}
