//! What an entity may have: `Option<..>`.

use core::marker::PhantomData;

use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::query::data::{ContiguousQueryData, QueryData, SliceItem};
use crate::query::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch, Rows, Sharing};
use crate::sparse::{SparseSet, SparseStorage};
use crate::store::Store;
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term};

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

/// `Option<..>`.
#[doc(hidden)]
pub struct Optional<T>(PhantomData<fn() -> T>);

// SAFETY: what is borrowed is what the inner terms borrow, and nothing is demanded. Rows are read only where the inner
// terms are there.
unsafe impl<T: Fetch> Fetch for Optional<T> {
    type State = T::State;
    type Column = Option<T::Column>;
    type Ready<'w> = Option<T::Ready<'w>>;
    type Item<'w> = Option<T::Item<'w>>;
    type ReadOnly = Optional<T::ReadOnly>;

    const TERM: ConstTerm = ConstTerm::Group(Group::Optional, &[T::TERM]);
    const OUTSIDE_TABLES: bool = T::OUTSIDE_TABLES;

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
    unsafe fn ready<'w>(
        cell: StoreCell<'w>,
        state: &T::State,
        column: Option<T::Column>,
        table: &'w Table,
    ) -> Option<T::Ready<'w>> {
        // SAFETY: the caller's promise.
        column.map(|column| unsafe { T::ready(cell, state, column, table) })
    }

    const NOTES_CHANGES: bool = T::NOTES_CHANGES;

    #[inline(always)]
    fn without_notes<'w>(ready: Self::Ready<'w>) -> Option<Self::Ready<'w>> {
        let Some(ready) = ready else { return Some(None) };
        T::without_notes(ready).map(Some)
    }

    #[inline(always)]
    fn notes_in_ticks_alone(ready: Self::Ready<'_>) -> bool {
        ready.is_none_or(T::notes_in_ticks_alone)
    }

    #[inline(always)]
    unsafe fn noted<'w>(ready: Self::Ready<'w>, first: usize, count: usize) -> Option<Self::Ready<'w>> {
        let Some(ready) = ready else { return Some(None) };
        // SAFETY: the caller's promise.
        unsafe { T::noted(ready, first, count).map(Some) }
    }

    unsafe fn packed<'w>(ready: Self::Ready<'w>, storage: &'w SparseSet) -> (Self::Ready<'w>, bool) {
        // SAFETY: the caller's promise.
        (ready.map(|ready| unsafe { T::packed(ready, storage) }.0), true)
    }

    #[inline(always)]
    fn fetch_ahead(ready: Option<T::Ready<'_>>, rows: Rows, row: usize) {
        if let Some(ready) = ready {
            T::fetch_ahead(ready, rows, row);
        }
    }

    #[inline]
    fn holds_for_all(_: Self::Ready<'_>, _: &SparseStorage) -> bool {
        true
    }

    #[inline]
    fn contains(_: Option<T::Ready<'_>>, _: Entity) -> bool {
        true
    }

    #[inline]
    unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller's promise; the inner row is read only if it is there.
        unsafe {
            let ready = ready.filter(|&ready| !T::PER_ROW || T::contains(ready, rows.entity(row)))?;
            Some(T::row(ready, rows, row))
        }
    }

    #[inline]
    unsafe fn noted_row<'w>(noted: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: as for `row`.
        unsafe {
            let noted = noted.filter(|&noted| !T::PER_ROW || T::contains(noted, rows.entity(row)))?;
            Some(T::noted_row(noted, rows, row))
        }
    }
}

// SAFETY: reads what the inner terms read.
unsafe impl<T: ReadOnlyFetch> ReadOnlyFetch for Optional<T> {}

// SAFETY: what the inner terms give of the rows, where they are there.
unsafe impl<T: ContiguousFetch> ContiguousFetch for Optional<T> {
    type Slice<'w> = Option<T::Slice<'w>>;

    const SINGLE_ROWS: bool = T::SINGLE_ROWS || T::PER_ROW;

    #[inline(always)]
    unsafe fn mark(ready: Self::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // SAFETY: the caller's promise; with `PER_ROW` there is one row, which is marked only if it is there.
        unsafe {
            if let Some(ready) = ready.filter(|&ready| !T::PER_ROW || T::contains(ready, rows.entity(first))) {
                T::mark(ready, rows, first, count, sharing);
            }
        }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::Ready<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: the caller's promise; with `PER_ROW` there is one row, which is read only if it is there.
        unsafe {
            let ready = ready.filter(|&ready| !T::PER_ROW || T::contains(ready, rows.entity(first)))?;
            Some(T::slice(ready, rows, first, count))
        }
    }
}
