//! The id: `Entity`.
//!
//! Tests: tests/queries/terms.rs

use crate::access::term::{ConstTerm, Term};
use crate::entity::Entity;
use crate::query::data::fetched_items_and_slices;
use crate::query::fetch::{ContiguousFetch, Fetch, ReadOnlyFetch, Rows};
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;

fetched_items_and_slices! {
    [] Entity => EntityTerm: Self, Self;
}

/// The term of `Entity`.
#[doc(hidden)]
pub struct EntityTerm;

// SAFETY: borrows no component; every row has an entity.
unsafe impl Fetch for EntityTerm {
    type State = ();
    type TableFetch<'w> = ();
    type Item<'w> = Entity;
    type ReadOnly = Self;

    const TERM: ConstTerm = ConstTerm::Entity;

    fn state(_: Term<'_>) {}

    match_each_table!();

    #[inline]
    unsafe fn visit_table<'w>(_: StoreCell<'w>, (): &(), (): (), _: &'w Table) {}

    #[inline(always)]
    fn prefetch_row((): (), rows: Rows, row: usize) {
        rows.prefetch_row(row);
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>((): Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: forwarded: the row exists.
        unsafe { rows.entity(row) }
    }
}

// SAFETY: borrows nothing.
unsafe impl ReadOnlyFetch for EntityTerm {}

// SAFETY: a slice contains the ids of the rows.
unsafe impl ContiguousFetch for EntityTerm {
    type Slice<'w> = &'w [Entity];

    const SINGLE_ROWS: bool = false;
    const PACKED_SLICES: bool = true;

    #[inline(always)]
    unsafe fn slice<'w>((): Self::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> Self::Slice<'w> {
        // SAFETY: forwarded: the rows exist, and the table does not change for 'w.
        unsafe { rows.entities(first, count) }
    }
}
