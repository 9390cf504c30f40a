//! The value of one component: `&T`, `&mut T`, `Mut<T>`, `Ref<T>`.

use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use super::slices::{MutSlice, RefSlice};
use super::source::{Source, TermState, Ticked, is_sparse, place_of};
use crate::cell::StoreCell;
use crate::change::{Mut, Ref};
use crate::column::ColumnAddress;
use crate::component::{Component, MutableComponent};
use crate::entity::Entity;
use crate::query::data::fetched_items_and_slices;
use crate::query::fetch::{Apart, ContiguousFetch, Fetch, ReadOnlyFetch, Recording, Rows, Sharing};
use crate::sparse::SparseSet;
use crate::table::Table;
use crate::term::{ConstTerm, Term, Usage};

fetched_items_and_slices! {
    [C: Component] &C => Read<C>: &'w C, Self;
    ['a, C: MutableComponent] &'a mut C => Write<C>: Mut<'w, C>, &'a C;
    ['a, C: MutableComponent] Mut<'a, C> => WriteRows<C>: Mut<'w, C>, Ref<'a, C>;
    [C: Component] Ref<'_, C> => ReadTicks<C>: Ref<'w, C>, Self;
}

/// `&C`.
#[doc(hidden)]
pub struct Read<C>(PhantomData<fn() -> C>);

/// `&mut C`, with plain mutable slices.
#[doc(hidden)]
pub struct Write<C>(PhantomData<fn() -> C>);

/// `Mut<C>`: as `&mut C`, with slices that tell which rows are changed.
#[doc(hidden)]
pub struct WriteRows<C>(PhantomData<fn() -> C>);

/// What all terms that borrow one component have in common.
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
            // SAFETY: the caller promises that `packed` returned this for the storage of the component.
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
        fn fetch_ahead($ready: Self::TableFetch<'_>, _: Rows, row: usize) {
            $source.fetch_ahead(row);
        }

        #[inline]
        fn contains($ready: Self::TableFetch<'_>, entity: Entity) -> bool {
            $source.contains(entity)
        }
    };
}

/// What all terms that change one component have in common.
macro_rules! one_changing_component {
    ($Usage:ident, $ReadOnly:ident) => {
        type TableFetch<'w> = Ticked<'w, C>;
        type Item<'w> = Mut<'w, C>;
        type ReadOnly = $ReadOnly<C>;

        one_component!($Usage, |ready| ready.source);

        #[inline]
        unsafe fn visit_table<'w>(
            cell: StoreCell<'w>,
            state: &TermState,
            column: ColumnAddress,
            _: &'w Table,
        ) -> Ticked<'w, C> {
            // SAFETY: the caller's promise.
            unsafe { Ticked::new::<true>(cell, *state, column) }
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
            // SAFETY: the component is stored in tables; the caller promises that the rows are there, may be changed for 'w, and are
            // accessible through what `then` gets alone.
            Via::pass(unsafe { ready.source.values(rows) }, |values| {
                // SAFETY: these are the values from row `first` on.
                then(Ticked { source: unsafe { ready.source.with_values(values, first) }, ..ready })
            })
        }

        #[inline(always)]
        unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
            // SAFETY: the caller promises that the value is there and may be changed for 'w.
            unsafe { Mut::new(ready.source.value(rows, row).as_mut(), ready.ticks::<RECORDED>(rows, row)) }
        }
    };
}

// SAFETY: reads one component and says so; a table without it does not match, nor does an entity without it.
unsafe impl<C: Component> Fetch for Read<C> {
    type TableFetch<'w> = Source<'w, C>;
    type Item<'w> = &'w C;
    type ReadOnly = Self;

    one_component!(Read, |ready| ready);

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &TermState,
        column: ColumnAddress,
        _: &'w Table,
    ) -> Source<'w, C> {
        // SAFETY: the caller's promise.
        unsafe { Source::new(cell, *state, column) }
    }

    #[inline(always)]
    unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller promises that the value is there and may be read for 'w.
        unsafe { ready.value(rows, row).as_ref() }
    }
}

// SAFETY: only reads.
unsafe impl<C: Component> ReadOnlyFetch for Read<C> {}

// SAFETY: writes one component and says so; a table without it does not match, nor does an entity without it.
unsafe impl<C: MutableComponent> Fetch for Write<C> {
    one_changing_component!(Write, Read);
}

// SAFETY: as `Write`.
unsafe impl<C: MutableComponent> Fetch for WriteRows<C> {
    one_changing_component!(WriteRows, ReadTicks);
}

/// `Ref<C>`.
#[doc(hidden)]
pub struct ReadTicks<C>(PhantomData<fn() -> C>);

// SAFETY: reads one component and says so; a table without it does not match, nor does an entity without it.
unsafe impl<C: Component> Fetch for ReadTicks<C> {
    type TableFetch<'w> = Ticked<'w, C>;
    type Item<'w> = Ref<'w, C>;
    type ReadOnly = Self;

    one_component!(ReadTicks, |ready| ready.source);

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &TermState,
        column: ColumnAddress,
        _: &'w Table,
    ) -> Ticked<'w, C> {
        // SAFETY: the caller's promise.
        unsafe { Ticked::new::<false>(cell, *state, column) }
    }

    #[inline(always)]
    unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller promises that the value is there and may be read for 'w.
        unsafe { Ref::new(ready.source.value(rows, row).as_ref(), ready.ticks::<RECORDED>(rows, row)) }
    }
}

// SAFETY: only reads.
unsafe impl<C: Component> ReadOnlyFetch for ReadTicks<C> {}

// SAFETY: the values of the rows.
unsafe impl<C: Component> ContiguousFetch for Read<C> {
    type Slice<'w> = &'w [C];

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `row`; values of a column lie one behind the other, and of others there is one.
        unsafe { slice::from_raw_parts(ready.value(rows, first).as_ptr(), count) }
    }
}

// SAFETY: the values of the rows.
unsafe impl<C: MutableComponent> ContiguousFetch for Write<C> {
    type Slice<'w> = &'w mut [C];

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn mark(ready: Self::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // All rows of a sparse storage are in one column, whatever keeps queries apart.
        let sharing = if is_sparse::<C>() { Sharing::Rows } else { sharing };
        // SAFETY: the caller's promise: only code that may change a value writes its ticks, and only code that may read it
        // reads them, but for queries that go through other rows of a shared table.
        unsafe { ready.ticks.mark(ready.tick_row(rows, first), count, sharing) }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `row`; values of a column lie one behind the other, and of others there is one.
        unsafe { slice::from_raw_parts_mut(ready.source.value(rows, first).as_ptr(), count) }
    }
}

// SAFETY: the values of the rows.
unsafe impl<C: MutableComponent> ContiguousFetch for WriteRows<C> {
    type Slice<'w> = MutSlice<'w, C>;

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `Write`.
        unsafe {
            let values = slice::from_raw_parts_mut(ready.source.value(rows, first).as_ptr(), count);
            MutSlice::new(values, ready.ticks, ready.tick_row(rows, first))
        }
    }
}

// SAFETY: the values of the rows.
unsafe impl<C: Component> ContiguousFetch for ReadTicks<C> {
    type Slice<'w> = RefSlice<'w, C>;

    const SINGLE_ROWS: bool = is_sparse::<C>();
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: as for `row`; values of a column lie one behind the other, and of others there is one.
        unsafe {
            let values = slice::from_raw_parts(ready.source.value(rows, first).as_ptr(), count);
            RefSlice::new(values, ready.ticks, ready.tick_row(rows, first))
        }
    }
}
