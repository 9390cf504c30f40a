//! Tuples, which match if all members match, and `()`.
//!
//! Tests: tests/queries/terms.rs, tests/queries/filters.rs

use core::marker::PhantomData;
use core::ops::Range;

use crate::access::FilteredAccess;
use crate::access::term::{ConstTerm, Group, Term};
use crate::entity::Entity;
use crate::query::data::{ContiguousQueryData, QueryData, SliceItem, fetched_items_and_slices};
use crate::query::fetch::{Apart, ContiguousFetch, Fetch, Kept, ReadOnlyFetch, Recording, Rows, Sharing};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::storage::sparse::{SparseSet, SparseStorage};
use crate::storage::table::Table;
use crate::storage::tracking::LoggedRows;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

fetched_items_and_slices! {
    [] () => (): (), ();
    // This allows query data structs with type parameters that no field uses.
    [T: ?Sized] PhantomData<T> => (): (), Self;
}

// SAFETY: borrows and demands nothing.
unsafe impl Fetch for () {
    type State = ();
    type TableFetch<'w> = ();
    type Item<'w> = ();
    type ReadOnly = Self;

    const TERM: ConstTerm = ConstTerm::Group(Group::All, &[]);

    fn state(_: Term<'_>) {}

    match_each_table!();

    unsafe fn visit_table<'w>(_: StoreCell<'w>, (): &(), (): (), _: &'w Table) {}

    unsafe fn fetch_row<'w, const RECORDED: bool>((): Self::TableFetch<'w>, _: Rows, _: usize) -> Self::Item<'w> {}
}

// SAFETY: borrows nothing.
unsafe impl ReadOnlyFetch for () {}

// SAFETY: a slice is `()`, which gives access to nothing.
unsafe impl ContiguousFetch for () {
    type Slice<'w> = ();

    const SINGLE_ROWS: bool = false;
    const PACKED_SLICES: bool = true;

    unsafe fn slice<'w>((): Self::TableFetch<'w>, _: Rows, _: usize, _: usize) -> Self::Slice<'w> {}
}

impl QueryFilter for () {
    type Terms = ();
}

// SAFETY: the term makes no statement about matched entities.
unsafe impl FilterTerms for () {
    type State = ();
    type TableFetch<'w> = ();

    const TERM: ConstTerm = ConstTerm::Group(Group::All, &[]);

    fn state(_: Term<'_>) {}

    #[inline]
    fn visit_table<'w>(_: StoreCell<'w>, (): &(), _: &'w Table) {}

    #[inline]
    fn contains((): (), _: Entity, _: usize) -> bool {
        true
    }
}

/// Returns the log with fewer rows, if there are any logs.
#[inline]
fn shorter<'w>(first: Option<LoggedRows<'w>>, second: Option<LoggedRows<'w>>) -> Option<LoggedRows<'w>> {
    [first, second].into_iter().flatten().min_by_key(LoggedRows::len)
}

/// Nests the [`Fetch::apart`] call of each member inside the call of the previous one.
macro_rules! apart {
    ($ready:ident $rows:ident $then:ident [$($done:ident)*]) => { $then(($($done,)*)) };
    ($ready:ident $rows:ident $then:ident [$($done:ident)*] $T:ident $at:tt $($left:tt)*) => {
        $T::apart::<Via, R>($ready.$at, $rows.clone(), |$T| apart!($ready $rows $then [$($done)* $T] $($left)*))
    };
}

/// Implements the query traits for tuples of up to four members.
macro_rules! small {
    ($($T:ident $at:tt)*) => {
        impl<$($T: QueryData),*> QueryData for ($($T,)*) {
            type Terms = ($($T::Terms,)*);
            type ReadOnly = ($($T::ReadOnly,)*);
            type Item<'w, 's> = ($($T::Item<'w, 's>,)*);

            #[inline]
            fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
                let kept = kept_of_members!(kept $($T $at)*);
                ($($T::item(got.$at, kept.$at),)*)
            }
        }

        impl<$($T: ContiguousQueryData),*> SliceItem<($($T::Terms,)*)> for ($($T,)*) {
            type Contiguous<'w, 's> = ($($T::Contiguous<'w, 's>,)*);

            #[inline(always)]
            fn contiguous<'w, 's>(got: <($($T::Terms,)*) as ContiguousFetch>::Slice<'w>) -> Self::Contiguous<'w, 's> {
                ($($T::contiguous(got.$at),)*)
            }
        }

        impl<$($T: QueryFilter),*> QueryFilter for ($($T,)*) {
            type Terms = ($($T::Terms,)*);
        }
    };
}

small_tuples!(small);

/// Implements the query traits for larger tuples.
macro_rules! large {
    ($([$($T:ident $at:tt)*])*) => {
        impl<$($($T: QueryData),*),*> QueryData for ($($($T,)*)*) {
            type Terms = ($(($($T::Terms,)*),)*);
            type ReadOnly = ($($($T::ReadOnly,)*)*);
            type Item<'w, 's> = ($($($T::Item<'w, 's>,)*)*);

            #[inline]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
                let ($(($($T,)*),)*) = got;
                let got = ($($($T,)*)*);
                let kept = match kept {
                    Some(($(($($T,)*),)*)) => ($($(Some($T),)*)*),
                    None => ($($(None::<&<$T::Terms as Fetch>::State>,)*)*),
                };
                ($($($T::item(got.$at, kept.$at),)*)*)
            }
        }

        impl<$($($T: ContiguousQueryData),*),*> SliceItem<($(($($T::Terms,)*),)*)> for ($($($T,)*)*) {
            type Contiguous<'w, 's> = ($($($T::Contiguous<'w, 's>,)*)*);

            #[inline(always)]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn contiguous<'w, 's>(
                ($(($($T,)*),)*): <($(($($T::Terms,)*),)*) as ContiguousFetch>::Slice<'w>,
            ) -> Self::Contiguous<'w, 's> {
                ($($($T::contiguous($T),)*)*)
            }
        }

        impl<$($($T: QueryFilter),*),*> QueryFilter for ($($($T,)*)*) {
            type Terms = ($(($($T::Terms,)*),)*);
        }
    };
}

large_tuples!(large);

/// Implements the terms of tuples. A member may be a group of members itself.
macro_rules! terms {
    ($($T:ident $at:tt)*) => {
        #[expect(clippy::question_mark, reason = "`?` takes the compiler longer, once for each member of each tuple")]
        // SAFETY: borrows and demands what its members borrow and demand.
        unsafe impl<$($T: Fetch),*> Fetch for ($($T,)*) {
            type State = ($($T::State,)*);
            type Column = ($($T::Column,)*);
            type TableFetch<'w> = ($($T::TableFetch<'w>,)*);
            type Item<'w> = ($($T::Item<'w>,)*);
            type ReadOnly = ($($T::ReadOnly,)*);

            const TERM: ConstTerm = ConstTerm::Group(Group::All, &[$($T::TERM),*]);

            fn state(term: Term<'_>) -> Self::State {
                let mut members = term.members();
                ($($T::state(members.one()),)*)
            }

            fn grant_access(state: &mut Self::State, added: &FilteredAccess) -> bool {
                // `||` stops at the first member that takes the access, so no other member gets it.
                false $(|| $T::grant_access(&mut state.$at, added))*
            }

            fn update(state: &mut Self::State, store: &Store) {
                $($T::update(&mut state.$at, store);)*
            }

            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn column(state: &Self::State, table: &Table) -> Option<Self::Column> {
                $(let Some($T) = $T::column(&state.$at, table) else { return None };)*
                Some(($($T,)*))
            }

            #[inline]
            unsafe fn visit_table<'w>(
                cell: StoreCell<'w>,
                state: &Self::State,
                column: Self::Column,
                table: &'w Table,
            ) -> Self::TableFetch<'w> {
                // SAFETY: forwarded for each member: state and column belong to this store and table.
                unsafe { ($($T::visit_table(cell, &state.$at, column.$at, table),)*) }
            }

            #[inline]
            fn packed<'w>(ready: Self::TableFetch<'w>, storage: &'w SparseSet) -> Self::TableFetch<'w> {
                ($($T::packed(ready.$at, storage),)*)
            }

            #[inline(always)]
            unsafe fn all_packed<'w>(ready: Self::TableFetch<'w>) -> Self::TableFetch<'w> {
                // SAFETY: forwarded for each member: `packed` returned `ready`, and the storage is the only sparse one that the
                // query demands.
                unsafe { ($($T::all_packed(ready.$at),)*) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            fn recording<'w>(ready: Self::TableFetch<'w>, recording: Recording) -> Option<Self::TableFetch<'w>> {
                $(let Some($T) = $T::recording(ready.$at, recording) else { return None };)*
                Some(($($T,)*))
            }

            #[inline(always)]
            fn prefetch_row(ready: Self::TableFetch<'_>, rows: Rows, row: usize) {
                $($T::prefetch_row(ready.$at, rows, row);)*
            }

            #[inline]
            #[expect(non_snake_case, reason = "each value is named after its type parameter")]
            unsafe fn apart<'w, Via: Apart, R>(
                ready: Self::TableFetch<'w>,
                rows: Range<usize>,
                then: impl FnOnce(Self::TableFetch<'w>) -> R,
            ) -> R {
                // SAFETY: forwarded for each member: the rows exist, the access to them is allowed, and their values are accessed
                // only through the argument of `then`.
                unsafe { apart!(ready rows then [] $($T $at)*) }
            }

            #[inline]
            fn contains(ready: Self::TableFetch<'_>, entity: Entity) -> bool {
                true $(&& (!$T::PER_ROW || $T::contains(ready.$at, entity)))*
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn fetch_row<'w, const RECORDED: bool>(
                ready: Self::TableFetch<'w>,
                rows: Rows,
                row: usize,
            ) -> Self::Item<'w> {
                // SAFETY: forwarded for each member: the row exists and has the member, and the access to it is allowed.
                unsafe { ($($T::fetch_row::<RECORDED>(ready.$at, rows, row),)*) }
            }
        }

        // SAFETY: all members are read-only.
        unsafe impl<$($T: ReadOnlyFetch),*> ReadOnlyFetch for ($($T,)*) {}

        // SAFETY: a slice consists of the slices of the members.
        unsafe impl<$($T: ContiguousFetch),*> ContiguousFetch for ($($T,)*) {
            type Slice<'w> = ($($T::Slice<'w>,)*);

            const SINGLE_ROWS: bool = false $(|| $T::SINGLE_ROWS)*;
            const PACKED_SLICES: bool = true $(&& $T::PACKED_SLICES)*;

            #[inline(always)]
            unsafe fn mark(ready: Self::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
                // SAFETY: forwarded for each member: the rows exist, and their ticks may be written.
                unsafe { $($T::mark(ready.$at, rows, first, count, sharing);)* }
            }

            #[inline(always)]
            unsafe fn slice<'w>(
                ready: Self::TableFetch<'w>,
                rows: Rows,
                first: usize,
                count: usize,
            ) -> Self::Slice<'w> {
                // SAFETY: forwarded for each member: the rows exist, and the access to them is allowed.
                unsafe { ($($T::slice(ready.$at, rows, first, count),)*) }
            }
        }

        // SAFETY: an entity that matches all members has and lacks what each of them says.
        unsafe impl<$($T: FilterTerms),*> FilterTerms for ($($T,)*) {
            type State = ($($T::State,)*);
            type TableFetch<'w> = ($($T::TableFetch<'w>,)*);

            const TERM: ConstTerm = ConstTerm::Group(Group::All, &[$($T::TERM),*]);

            fn state(term: Term<'_>) -> Self::State {
                let mut members = term.members();
                ($($T::state(members.one()),)*)
            }

            #[inline]
            fn visit_table<'w>(cell: StoreCell<'w>, state: &Self::State, table: &'w Table) -> Self::TableFetch<'w> {
                ($($T::visit_table(cell, &state.$at, table),)*)
            }

            #[inline]
            fn contains(ready: Self::TableFetch<'_>, entity: Entity, row: usize) -> bool {
                true $(&& $T::contains(ready.$at, entity, row))*
            }

            #[inline]
            fn any(ready: Self::TableFetch<'_>) -> bool {
                true $(&& $T::any(ready.$at))*
            }

            #[inline]
            fn skip(ready: Self::TableFetch<'_>, row: usize, end: usize) -> usize {
                row $(.max($T::skip(ready.$at, row, end)))*
            }

            #[inline]
            unsafe fn mask(ready: Self::TableFetch<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                let mut mask = u64::MAX;
                $(
                    if mask != 0 {
                        // SAFETY: forwarded for each member: the rows exist, and no other thread changes them during the call
                        // unless the table is shared.
                        mask &= unsafe { $T::mask(ready.$at, rows, row, count, sharing) };
                    }
                )*
                mask
            }

            #[inline]
            unsafe fn end_of_matching(
                ready: Self::TableFetch<'_>,
                rows: Rows,
                row: usize,
                end: usize,
                sharing: Sharing,
            ) -> usize {
                let mut end = end;
                $(
                    if end != row {
                        // SAFETY: forwarded for each member: the rows exist, and no other thread changes them during the call
                        // unless the table is shared.
                        end = unsafe { $T::end_of_matching(ready.$at, rows, row, end, sharing) };
                    }
                )*
                end
            }

            #[inline]
            fn logged(ready: Self::TableFetch<'_>) -> Option<LoggedRows<'_>> {
                let mut shortest = None;
                $(shortest = shorter(shortest, $T::logged(ready.$at));)*
                shortest
            }

            fn logged_sparse<'w>(cell: StoreCell<'w>, state: &Self::State) -> Option<(&'w SparseStorage, LoggedRows<'w>)> {
                $(
                    if let Some(logged) = $T::logged_sparse(cell, &state.$at) {
                        return Some(logged);
                    }
                )*
                None
            }
        }
    };
}

small_tuples!(terms);
