//! Loops over rows as systems: what `#[system]` makes of a function over components.

use core::marker::PhantomData;
use core::ops::Range;

use super::base::BoxedSystem;
use super::blocks::{Blocks, OwnBlocks, RowFacts, SharedBlocks};
use super::function::{MacroMarker, function_system};
use super::param::{SystemParam, SystemParamItem};
use super::param_function::{LoopKind, StateOf, SystemParamFunction};
use super::tasks::{Fetched, TaskSource, run_tasks};
use crate::entity::TableId;
use crate::error::EcsError;
use crate::query::{
    ContiguousFetch, FilterTerms, Matched, Query, QueryData, QueryFilter, QueryState, Reached, RowList, RowRanges,
    SliceKernel,
};
use crate::simd::Variants;

/// Several rows of a query, one behind the other.
#[doc(hidden)]
pub type SliceOf<'w, D> = <<D as QueryData>::Terms as ContiguousFetch>::Slice<'w>;

/// A function that goes through the rows of one table. It gets the columns, as long as they are said to be, and the parameters.
///
/// It is a closure that is `#[inline(always)]`. What calls a function item by way of `Fn` is a function of the compiler's own,
/// without that attribute: a long loop would be left in there, and with it in the code for the baseline.
#[doc(hidden)]
pub trait RowKernel<D: QueryData<Terms: ContiguousFetch>, Marker>: Send + Sync + 'static {
    /// The system parameters.
    type Params: SystemParam + 'static;

    /// Whether it can go through some rows of the columns, and not only through all of them.
    const LISTED: bool;

    /// Goes through rows: of a list, if there is one.
    fn run(
        &self,
        len: usize,
        list: RowList<'_>,
        columns: SliceOf<'_, D>,
        params: &mut SystemParamItem<'_, '_, Self::Params>,
    ) -> Result<(), EcsError>;
}

/// Implements a kernel trait for closures: they get the number of rows, the arguments of `run` but for those after `not`, and the
/// parameters. A type parameter stands behind the name of each argument, and behind it what the closure demands, for all of the lifetimes,
/// and what `run` gets.
macro_rules! impl_kernel {
    (
        [$($generics:tt)*] $Trait:ident<$($Of:ident),*>, $Marker:ty, for<$($life:lifetime),*>
        ($($argument:ident $Argument:ident: $Demanded:ty = $Given:ty),*) $(not $ignored:ident: $Ignored:ty)? { $($members:tt)* }
    ) => {
        impl<$($generics)*, K, Params> $Trait<$($Of,)* $Marker> for K
        where
            Params: SystemParam + 'static,
            K: Send + Sync + 'static,
            K: for<$($life,)* 'p> Fn(usize, $($Demanded,)* &'p mut Params) -> Result<(), EcsError>,
            K: for<$($life,)* 'p, 'w, 's> Fn(
                usize,
                $($Demanded,)*
                &'p mut SystemParamItem<'w, 's, Params>,
            ) -> Result<(), EcsError>,
        {
            type Params = Params;

            $($members)*

            #[inline(always)]
            fn run(
                &self,
                len: usize,
                $($ignored: $Ignored,)?
                $($argument: $Given,)*
                params: &mut SystemParamItem<'_, '_, Params>,
            ) -> Result<(), EcsError> {
                // The indirection tells the compiler which of the two signatures is meant. It calls the closure itself: to call a
                // reference to it is to call a function of the standard library, which may be left as a call.
                #[inline(always)]
                fn call<$($Argument,)* P>(
                    kernel: &impl Fn(usize, $($Argument,)* &mut P) -> Result<(), EcsError>,
                    len: usize,
                    $($argument: $Argument,)*
                    params: &mut P,
                ) -> Result<(), EcsError> {
                    (*kernel)(len, $($argument,)* params)
                }
                $(let _ = $ignored;)?
                call(self, len, $($argument,)* params)
            }
        }
    };
}
pub(crate) use impl_kernel;

impl_kernel! {
    [D: QueryData<Terms: ContiguousFetch>] RowKernel<D>, fn(Params), for<'a>
    (columns C: SliceOf<'a, D> = SliceOf<'_, D>) not list: RowList<'_> { const LISTED: bool = false; }
}

// A loop that goes through the rows of a list, too.
impl_kernel! {
    [D: QueryData<Terms: ContiguousFetch>] RowKernel<D>, (fn(Params),), for<'a, 'r>
    (list L: RowList<'r> = RowList<'_>, columns C: SliceOf<'a, D> = SliceOf<'_, D>) { const LISTED: bool = true; }
}

/// A loop with its parameters.
pub(super) struct Bound<'k, 'p, 'w, 's, K, P: SystemParam, Marker> {
    pub(super) kernel: &'k K,
    pub(super) params: &'p mut SystemParamItem<'w, 's, P>,
    pub(super) marker: PhantomData<fn() -> Marker>,
}

impl<'k, 'p, 'w, 's, K, P: SystemParam, Marker> Bound<'k, 'p, 'w, 's, K, P, Marker> {
    #[inline(always)]
    pub(super) fn new(kernel: &'k K, params: &'p mut SystemParamItem<'w, 's, P>) -> Self {
        Self { kernel, params, marker: PhantomData }
    }
}

impl<D, K, Marker> SliceKernel<D::Terms> for Bound<'_, '_, '_, '_, K, K::Params, (D, Marker)>
where
    D: QueryData<Terms: ContiguousFetch>,
    K: RowKernel<D, Marker>,
{
    type Error = EcsError;

    #[inline(always)]
    fn run(&mut self, len: usize, rows: SliceOf<'_, D>) -> Result<(), EcsError> {
        self.kernel.run(len, None, rows, self.params)
    }

    const LISTED: bool = K::LISTED;

    #[inline(always)]
    fn run_listed(&mut self, len: usize, list: &[u32], rows: SliceOf<'_, D>) -> Result<(), EcsError> {
        self.kernel.run(len, Some(list), rows, self.params)
    }
}

/// A loop over the rows of each table that matches: for data `D` and a filter `F`, in the variants `V`.
pub struct RowLoop<D, F, V, K, Marker> {
    kernel: K,
    may_fail: bool,
    in_pipelines: bool,
    marker: PhantomData<fn() -> (D, F, V, Marker)>,
}

impl<D, F, V, K, Marker> RowLoop<D, F, V, K, Marker> {
    /// A loop that cannot fail.
    pub(crate) const fn new(kernel: K) -> Self {
        Self { kernel, may_fail: false, in_pipelines: true, marker: PhantomData }
    }

    /// The same loop, which may end with an error.
    #[must_use]
    pub fn may_fail(self) -> Self {
        Self { may_fail: true, ..self }
    }

    /// The same loop, which is never part of a pipeline.
    #[must_use]
    pub fn not_in_pipelines(self) -> Self {
        Self { in_pipelines: false, ..self }
    }
}

impl<D, F, V, K, Marker> RowLoop<D, F, V, K, Marker>
where
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    V: Variants,
    K: RowKernel<D, Marker>,
    Marker: 'static,
{
    /// The system that calls the loop for each table that matches.
    pub fn build(self, name: &'static str, params: &'static [&'static str]) -> BoxedSystem<(), Result<(), EcsError>> {
        function_system(name, params, self)
    }

    /// The properties of the loop for the query of its rows, unless it runs on several threads.
    fn facts<Data, Filter>(&self, rows: &QueryState<Data, Filter>) -> RowFacts
    where
        Data: QueryData<Terms: ContiguousFetch>,
        Filter: QueryFilter,
    {
        RowFacts {
            rows: rows.access().clone(),
            ticked: rows.ticked(),
            is_per_row: QueryState::<Data, Filter>::PER_ROW || Data::Terms::SINGLE_ROWS,
            may_fail: self.may_fail,
            in_pipelines: self.in_pipelines,
            is_par: false,
            records: false,
        }
    }
}

impl<D, F, V, K, Marker> RowLoop<D, F, V, K, Marker>
where
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    V: Variants,
    K: RowKernel<D, Marker, Params: SystemParam<Source: TaskSource>>,
    Marker: 'static,
{
    /// The system that calls the loop for pieces of the tables that match, on several threads.
    pub fn build_par(
        self,
        name: &'static str,
        params: &'static [&'static str],
    ) -> BoxedSystem<(), Result<(), EcsError>> {
        function_system(name, params, ParRowLoop(self))
    }
}

#[diagnostic::do_not_recommend]
impl<D, F, V, K, Marker> SystemParamFunction<MacroMarker> for RowLoop<D, F, V, K, Marker>
where
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    V: Variants,
    K: RowKernel<D, Marker>,
    Marker: 'static,
{
    type In = ();
    type Out = Result<(), EcsError>;
    type Param = (Query<'static, 'static, D, F>, K::Params);

    const LOOP: LoopKind = LoopKind::Blocks;

    fn row_facts(&self, (rows, _): &StateOf<Self, MacroMarker>) -> Option<RowFacts> {
        Some(self.facts(rows))
    }

    unsafe fn run_in_blocks(
        &mut self,
        (rows, mut params): SystemParamItem<'_, '_, Self::Param>,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Result<(), EcsError> {
        let matched = rows.matched();
        // SAFETY: the query's cache is up to date; the caller promises the access, and that no row has to be asked.
        unsafe { RowRanges::visit(matched) };
        let kernel = Bound::<K, K::Params, (D, Marker)>::new(&self.kernel, &mut params);
        then(Blocks::Own(&mut BlockLoop::<D::Terms, F::Terms, V, _> { matched, kernel, variants: PhantomData }));
        Ok(())
    }

    #[inline]
    fn run(&mut self, (): (), (rows, mut params): SystemParamItem<'_, '_, Self::Param>) -> Result<(), EcsError> {
        let mut kernel = Bound::<K, K::Params, (D, Marker)>::new(&self.kernel, &mut params);
        rows.into_row_ranges().for_each::<V, _>(&mut kernel)
    }
}

/// A loop with its parameters that waits for rows.
struct BlockLoop<'w, 's, T: ContiguousFetch, F: FilterTerms, V, K> {
    matched: Matched<'w, 's, T, F>,
    kernel: K,
    variants: PhantomData<fn() -> V>,
}

/// A loop that may fail says so in its facts, and a schedule makes no pipeline of it.
#[cold]
#[track_caller]
fn unexpected(error: EcsError) {
    panic!("a loop that goes through blocks of rows has failed: {error}")
}

impl<T, F, V, K> OwnBlocks for BlockLoop<'_, '_, T, F, V, K>
where
    T: ContiguousFetch,
    F: FilterTerms,
    V: Variants,
    K: SliceKernel<T, Error = EcsError>,
{
    fn tables(&self, each: &mut dyn FnMut(TableId)) {
        self.matched.cache().matches.iter().for_each(|found| each(found.table));
    }

    unsafe fn run(&mut self, table: TableId, rows: Range<usize>) {
        // SAFETY: the cache is that of the query, which is up to date; all tables have been visited; the rest is the caller's
        // promise.
        if let Some(ranges) = unsafe { RowRanges::some(self.matched, table, rows) } {
            let done = ranges.for_each::<V, _>(&mut self.kernel);
            done.unwrap_or_else(unexpected);
        }
    }
}

/// As [`RowLoop`], on several threads.
struct ParRowLoop<D, F, V, K, Marker>(RowLoop<D, F, V, K, Marker>);

/// How the parameters of a loop are fetched.
type SourceOf<K, D, Marker> = <<K as RowKernel<D, Marker>>::Params as SystemParam>::Source;

#[diagnostic::do_not_recommend]
impl<D, F, V, K, Marker> SystemParamFunction<MacroMarker> for ParRowLoop<D, F, V, K, Marker>
where
    D: QueryData<Terms: ContiguousFetch> + 'static,
    F: QueryFilter + 'static,
    V: Variants,
    K: RowKernel<D, Marker, Params: SystemParam<Source: TaskSource>>,
    Marker: 'static,
{
    type In = ();
    type Out = Result<(), EcsError>;
    type Param = (Query<'static, 'static, D, F>, Fetched<'static, 'static, SourceOf<K, D, Marker>>);

    const LOOP: LoopKind = LoopKind::Blocks;

    fn row_facts(&self, (rows, _): &StateOf<Self, MacroMarker>) -> Option<RowFacts> {
        let records = <SourceOf<K, D, Marker> as TaskSource>::RECORDS;
        Some(RowFacts { is_par: true, records, ..self.0.facts(rows) })
    }

    unsafe fn run_in_blocks(
        &mut self,
        (rows, params): SystemParamItem<'_, '_, Self::Param>,
        then: &mut dyn FnMut(Blocks<'_>),
    ) -> Result<(), EcsError> {
        let matched = rows.matched();
        // SAFETY: the query's cache is up to date; the caller promises the access, and that no row has to be asked.
        unsafe { RowRanges::visit(matched) };
        let common = <SourceOf<K, D, Marker> as TaskSource>::common(&params.0, 1);
        let (kernel, common, marker) = (&self.0.kernel, &common, PhantomData);
        then(Blocks::Shared(&SharedBlockLoop::<D, F, V, K, Marker> { matched, kernel, common, marker }));
        Ok(())
    }

    /// # Errors
    ///
    /// The first one, in the order of rows. What was recorded until there is kept.
    #[inline]
    fn run(&mut self, (): (), (rows, mut params): SystemParamItem<'_, '_, Self::Param>) -> Result<(), EcsError> {
        let kernel = &self.0.kernel;
        let (pool, tasks, partition) = rows.par_iter_inner().partition();
        run_tasks::<SourceOf<K, D, Marker>, Reached, _>(pool, tasks, &mut params.0, |reached, rows, got| {
            let mut params = <K::Params as SystemParam>::item(got);
            let mut kernel = Bound::<K, K::Params, (D, Marker)>::new(kernel, &mut params);
            // SAFETY: the access is allowed, as promised to the query; each task is run once, and the query is used up.
            unsafe { partition.for_each_range::<V, _>(reached, rows, &mut kernel) }
        })
    }
}

/// As [`BlockLoop`], for several threads.
struct SharedBlockLoop<'a, 'w, 's, 'c, D, F, V, K, Marker>
where
    D: QueryData<Terms: ContiguousFetch>,
    F: QueryFilter,
    K: RowKernel<D, Marker, Params: SystemParam<Source: TaskSource>>,
{
    matched: Matched<'w, 's, D::Terms, F::Terms>,
    kernel: &'a K,
    common: &'a <SourceOf<K, D, Marker> as TaskSource>::Common<'c>,
    marker: PhantomData<fn() -> (V, Marker)>,
}

impl<D, F, V, K, Marker> SharedBlocks for SharedBlockLoop<'_, '_, '_, '_, D, F, V, K, Marker>
where
    D: QueryData<Terms: ContiguousFetch>,
    F: QueryFilter,
    V: Variants,
    K: RowKernel<D, Marker, Params: SystemParam<Source: TaskSource>>,
    Marker: 'static,
{
    fn tables(&self, each: &mut dyn FnMut(TableId)) {
        self.matched.cache().matches.iter().for_each(|found| each(found.table));
    }

    unsafe fn run(&self, table: TableId, rows: Range<usize>) {
        // SAFETY: as for `BlockLoop`.
        let Some(ranges) = (unsafe { RowRanges::some(self.matched, table, rows) }) else {
            return;
        };
        // It says so in its facts, and a schedule makes no pipeline of it.
        assert!(!<SourceOf<K, D, Marker> as TaskSource>::RECORDS, "a loop that records waits for blocks");
        let mut part = SourceOf::<K, D, Marker>::part();
        // SAFETY: the source does not record.
        let got = unsafe { SourceOf::<K, D, Marker>::lend(self.common, &mut part, 0) };
        let mut params = <K::Params as SystemParam>::item(got);
        let mut kernel = Bound::<K, K::Params, (D, Marker)>::new(self.kernel, &mut params);
        let done = ranges.for_each::<V, _>(&mut kernel);
        done.unwrap_or_else(unexpected);
    }
}
