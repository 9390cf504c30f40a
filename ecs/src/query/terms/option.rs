//! Optional data: `Option<..>`.
//!
//! Tests: tests/queries/terms.rs

use core::marker::PhantomData;

use crate::access::term::{ConstTerm, Group, Term};
use crate::query::data::{ContiguousQueryData, QueryData, SliceItem};
use crate::query::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch, Recording, Rows, Sharing};
use crate::storage::sparse::SparseSet;
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

impl<D: QueryData> QueryData for Option<D> {
    type Terms = Optional<D::Terms>;
    type ReadOnly = Option<D::ReadOnly>;
    type Item<'w, 's> = Option<D::Item<'w, 's>>;

    #[inline]
    fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
        got.map(|got| D::item(got, kept))
    }
}

impl<D: ContiguousQueryData> SliceItem<Optional<D::Terms>> for Option<D> {
    type Contiguous<'w, 's> = Option<D::Contiguous<'w, 's>>;

    #[inline(always)]
    fn contiguous<'w, 's>(got: <Optional<D::Terms> as ContiguousFetch>::Slice<'w>) -> Self::Contiguous<'w, 's> {
        got.map(D::contiguous)
    }
}

/// The term of `Option<..>`.
#[doc(hidden)]
pub struct Optional<T>(PhantomData<fn() -> T>);

// SAFETY: borrows what the inner terms borrow, and demands nothing. A row is read only if it has the inner terms.
unsafe impl<T: Fetch> Fetch for Optional<T> {
    type State = T::State;
    type Column = Option<T::Column>;
    type TableFetch<'w> = Option<T::TableFetch<'w>>;
    type Item<'w> = Option<T::Item<'w>>;
    type ReadOnly = Optional<T::ReadOnly>;

    const TERM: ConstTerm = ConstTerm::Group(Group::Optional, &[T::TERM]);

    fn state(term: Term<'_>) -> T::State {
        T::state(term.members().one())
    }

    fn update(state: &mut T::State, store: &Store) {
        T::update(state, store);
    }

    fn column(state: &T::State, table: &Table) -> Option<Option<T::Column>> {
        Some(T::column(state, table))
    }

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &T::State,
        column: Option<T::Column>,
        table: &'w Table,
    ) -> Option<T::TableFetch<'w>> {
        // SAFETY: forwarded: the state and column belong to this store and table.
        column.map(|column| unsafe { T::visit_table(cell, state, column, table) })
    }

    #[inline(always)]
    fn recording<'w>(ready: Self::TableFetch<'w>, recording: Recording) -> Option<Self::TableFetch<'w>> {
        let Some(ready) = ready else { return Some(None) };
        T::recording(ready, recording).map(Some)
    }

    fn packed<'w>(ready: Self::TableFetch<'w>, storage: &'w SparseSet) -> Self::TableFetch<'w> {
        ready.map(|ready| T::packed(ready, storage))
    }

    #[inline(always)]
    fn prefetch_row(ready: Option<T::TableFetch<'_>>, rows: Rows, row: usize) {
        if let Some(ready) = ready {
            T::prefetch_row(ready, rows, row);
        }
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        ready: Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        // SAFETY: forwarded: the row exists.
        let ready = unsafe { one_present::<T>(ready, rows, row) }?;
        // SAFETY: the row has the inner terms; the access to it is forwarded.
        Some(unsafe { T::fetch_row::<RECORDED>(ready, rows, row) })
    }
}

/// Returns the fetch state of the inner terms, if they match the row. Without `PER_ROW`, the result is the same for all rows, and
/// `row` is not read.
///
/// # Safety
///
/// - The row exists.
#[inline(always)]
unsafe fn one_present<'w, T: Fetch>(
    ready: Option<T::TableFetch<'w>>,
    rows: Rows,
    row: usize,
) -> Option<T::TableFetch<'w>> {
    // SAFETY: forwarded: the row exists.
    ready.filter(|&ready| !T::PER_ROW || T::contains(ready, unsafe { rows.entity(row) }))
}

// SAFETY: the inner terms are read-only.
unsafe impl<T: ReadOnlyFetch> ReadOnlyFetch for Optional<T> {}

// SAFETY: a slice consists of the slices of the inner terms, for rows that have them.
unsafe impl<T: ContiguousFetch> ContiguousFetch for Optional<T> {
    type Slice<'w> = Option<T::Slice<'w>>;

    const SINGLE_ROWS: bool = T::SINGLE_ROWS || T::PER_ROW;

    #[inline(always)]
    unsafe fn mark(ready: Self::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // SAFETY: with `PER_ROW` there is only one row, `first`, which exists.
        if let Some(ready) = unsafe { one_present::<T>(ready, rows, first) } {
            // SAFETY: the rows have the inner terms; the access to their ticks is forwarded.
            unsafe { T::mark(ready, rows, first, count, sharing) };
        }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: with `PER_ROW` there is only one row, `first`, which exists.
        let ready = unsafe { one_present::<T>(ready, rows, first) }?;
        // SAFETY: the rows have the inner terms; the access to them is forwarded.
        Some(unsafe { T::slice(ready, rows, first, count) })
    }
}
