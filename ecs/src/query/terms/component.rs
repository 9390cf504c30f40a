//! The value of one component: `&T`, `&mut T`, `Mut<T>`, `Ref<T>`.
//!
//! Tests: tests/queries/terms.rs, tests/changes/change_detection/marks.rs

use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use super::slices::{MutSlice, RefSlice};
use super::source::{ComponentValues, TermState, TickedValues, is_sparse, place_of};
use crate::access::term::{ConstTerm, Term, Usage};
use crate::component::{Component, MutableComponent};
use crate::entity::Entity;
use crate::query::change::{Mut, Ref};
use crate::query::data::fetched_items_and_slices;
use crate::query::fetch::{Apart, ContiguousFetch, Fetch, ReadOnlyFetch, Recording, Rows, Sharing};
use crate::storage::column::ColumnAddress;
use crate::storage::sparse::SparseSet;
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;

fetched_items_and_slices! {
    [C: Component] &C => Read<C>: &'w C, Self;
    ['a, C: MutableComponent] &'a mut C => Write<C>: Mut<'w, C>, &'a C;
    ['a, C: MutableComponent] Mut<'a, C> => WriteRows<C>: Mut<'w, C>, Ref<'a, C>;
    [C: Component] Ref<'_, C> => ReadTicks<C>: Ref<'w, C>, Self;
}

/// The term of `&C`.
#[doc(hidden)]
pub struct Read<C>(PhantomData<fn() -> C>);

/// The term of `&mut C`, with plain mutable slices.
#[doc(hidden)]
pub struct Write<C>(PhantomData<fn() -> C>);

/// The term of `Mut<C>`. Unlike the slices of [`Write`], its slices record which rows are changed.
#[doc(hidden)]
pub struct WriteRows<C>(PhantomData<fn() -> C>);

/// The common part of all terms that borrow one component.
macro_rules! one_component {
    ($Usage:ident, |$ready:ident| $source:expr) => {
        type State = TermState;
        type Column = ColumnAddress;

        const TERM: ConstTerm = ConstTerm::of::<C>(Usage::$Usage);

        #[inline]
        fn packed<'w>(mut $ready: Self::TableFetch<'w>, storage: &'w SparseSet) -> Self::TableFetch<'w> {
            $source = $source.packed(storage);
            $ready
        }

        #[inline(always)]
        unsafe fn all_packed<'w>(mut $ready: Self::TableFetch<'w>) -> Self::TableFetch<'w> {
            // SAFETY: forwarded: `packed` returned this for the storage of the component.
            $source = unsafe { $source.all_packed() };
            $ready
        }

        fn state(term: Term<'_>) -> TermState {
            TermState::of(term)
        }

        fn column(state: &TermState, table: &Table) -> Option<ColumnAddress> {
            place_of::<C>(*state, table)
        }

        #[inline(always)]
        fn prefetch_row($ready: Self::TableFetch<'_>, _: Rows, row: usize) {
            $source.prefetch_row(row);
        }

        #[inline]
        fn contains($ready: Self::TableFetch<'_>, entity: Entity) -> bool {
            $source.contains(entity)
        }
    };
}

/// The common part of all terms that change one component.
macro_rules! one_changing_component {
    ($Usage:ident, $ReadOnly:ident) => {
        type TableFetch<'w> = TickedValues<'w, C>;
        type Item<'w> = Mut<'w, C>;
        type ReadOnly = $ReadOnly<C>;

        one_component!($Usage, |ready| ready.source);

        #[inline]
        unsafe fn visit_table<'w>(
            cell: StoreCell<'w>,
            state: &TermState,
            column: ColumnAddress,
            _: &'w Table,
        ) -> TickedValues<'w, C> {
            // SAFETY: forwarded: the state and column belong to the cell's store and the table.
            unsafe { TickedValues::new::<true>(cell, *state, column) }
        }

        #[inline(always)]
        fn recording<'w>(ready: Self::TableFetch<'w>, recording: Recording) -> Option<Self::TableFetch<'w>> {
            ready.recording(recording)
        }

        #[inline]
        unsafe fn apart<'w, Via: Apart, R>(
            ready: Self::TableFetch<'w>,
            rows: Range<usize>,
            then: impl FnOnce(Self::TableFetch<'w>) -> R,
        ) -> R {
            if const { is_sparse::<C>() } {
                return then(ready);
            }
            let first = rows.start;
            // SAFETY: the component is stored in tables; forwarded: the rows exist, may be changed for 'w, and are accessed only
            // through the argument of `then`.
            Via::pass(unsafe { ready.source.values(rows) }, |values| {
                // SAFETY: `values` are the values from row `first` on.
                then(TickedValues { source: unsafe { ready.source.with_values(values, first) }, ..ready })
            })
        }

        #[inline(always)]
        unsafe fn fetch_row<'w, const RECORDED: bool>(
            ready: Self::TableFetch<'w>,
            rows: Rows,
            row: usize,
        ) -> Self::Item<'w> {
            // SAFETY: forwarded: the row has a value, which may be changed for 'w.
            unsafe { Mut::new(ready.source.value(rows, row).as_mut(), ready.ticks::<RECORDED>(rows, row)) }
        }
    };
}

// SAFETY: declares that it reads one component; it does not match tables or entities without it.
unsafe impl<C: Component> Fetch for Read<C> {
    type TableFetch<'w> = ComponentValues<'w, C>;
    type Item<'w> = &'w C;
    type ReadOnly = Self;

    one_component!(Read, |ready| ready);

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &TermState,
        column: ColumnAddress,
        _: &'w Table,
    ) -> ComponentValues<'w, C> {
        // SAFETY: forwarded: the state and column belong to the cell's store and the table.
        unsafe { ComponentValues::new(cell, *state, column) }
    }

    #[inline(always)]
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        ready: Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        // SAFETY: forwarded: the row has a value, which may be read for 'w.
        unsafe { ready.value(rows, row).as_ref() }
    }
}

// SAFETY: `fetch_row` returns a shared reference.
unsafe impl<C: Component> ReadOnlyFetch for Read<C> {}

// SAFETY: declares that it writes one component; it does not match tables or entities without it.
unsafe impl<C: MutableComponent> Fetch for Write<C> {
    one_changing_component!(Write, Read);
}

// SAFETY: declares that it writes one component; it does not match tables or entities without it.
unsafe impl<C: MutableComponent> Fetch for WriteRows<C> {
    one_changing_component!(WriteRows, ReadTicks);
}

/// The term of `Ref<C>`.
#[doc(hidden)]
pub struct ReadTicks<C>(PhantomData<fn() -> C>);

// SAFETY: declares that it reads one component; it does not match tables or entities without it.
unsafe impl<C: Component> Fetch for ReadTicks<C> {
    type TableFetch<'w> = TickedValues<'w, C>;
    type Item<'w> = Ref<'w, C>;
    type ReadOnly = Self;

    one_component!(ReadTicks, |ready| ready.source);

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &TermState,
        column: ColumnAddress,
        _: &'w Table,
    ) -> TickedValues<'w, C> {
        // SAFETY: forwarded: the state and column belong to the cell's store and the table.
        unsafe { TickedValues::new::<false>(cell, *state, column) }
    }

    #[inline(always)]
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        ready: Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        // SAFETY: forwarded: the row has a value, which may be read for 'w.
        unsafe { Ref::new(ready.source.value(rows, row).as_ref(), ready.ticks::<RECORDED>(rows, row)) }
    }
}

// SAFETY: `fetch_row` returns a `Ref`, which is read-only.
unsafe impl<C: Component> ReadOnlyFetch for ReadTicks<C> {}

// SAFETY: a slice contains the values of the rows.
unsafe impl<C: Component> ContiguousFetch for Read<C> {
    type Slice<'w> = &'w [C];

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: forwarded, as for `fetch_row`: the rows have values that may be read; the values of a column are contiguous, and
        // otherwise `count` is 1.
        unsafe { slice::from_raw_parts(ready.value(rows, first).as_ptr(), count) }
    }
}

// SAFETY: a slice contains the values of the rows.
unsafe impl<C: MutableComponent> ContiguousFetch for Write<C> {
    type Slice<'w> = &'w mut [C];

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn mark(ready: Self::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // All rows of a sparse storage share one column, even if they belong to different tables. So other threads may mark other rows of
        // it.
        let sharing = if is_sparse::<C>() { Sharing::Rows } else { sharing };
        // SAFETY: forwarded: only code that may change a value writes its ticks, and only code that may read it reads them, except
        // for queries that have other rows of a shared table.
        unsafe { ready.ticks.mark(ready.tick_row(rows, first), count, sharing) }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: forwarded, as for `fetch_row`: the rows have values that may be changed; the values of a column are contiguous, and
        // otherwise `count` is 1.
        unsafe { slice::from_raw_parts_mut(ready.source.value(rows, first).as_ptr(), count) }
    }
}

// SAFETY: a slice contains the values of the rows.
unsafe impl<C: MutableComponent> ContiguousFetch for WriteRows<C> {
    type Slice<'w> = MutSlice<'w, C>;

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: forwarded, as for `fetch_row`: the rows have values that may be changed; the values of a column are contiguous, and
        // otherwise `count` is 1. The values begin at the row that is passed to `MutSlice::new`.
        unsafe {
            let values = slice::from_raw_parts_mut(ready.source.value(rows, first).as_ptr(), count);
            MutSlice::new(values, ready.ticks, ready.tick_row(rows, first))
        }
    }
}

// SAFETY: a slice contains the values of the rows.
unsafe impl<C: Component> ContiguousFetch for ReadTicks<C> {
    type Slice<'w> = RefSlice<'w, C>;

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: forwarded, as for `fetch_row`: the rows have values that may be read; the values of a column are contiguous, and
        // otherwise `count` is 1.
        unsafe {
            let values = slice::from_raw_parts(ready.source.value(rows, first).as_ptr(), count);
            RefSlice::new(values, ready.ticks, ready.tick_row(rows, first))
        }
    }
}
