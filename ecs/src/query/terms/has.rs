//! Whether an entity has a component: `Has<T>`.
//!
//! Tests: tests/queries/terms.rs

use core::marker::PhantomData;

use super::source::{Presence, TermState, is_sparse};
use crate::access::term::{ConstTerm, Term, Usage};
use crate::component::Component;
use crate::query::data::fetched_items_and_slices;
use crate::query::fetch::{ContiguousFetch, Fetch, ReadOnlyFetch, Rows};
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;

/// In a query: whether the entity has the component. It matches every entity and borrows nothing.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Poisoned;
/// # let mut world = World::new();
/// world.spawn(Poisoned);
/// world.spawn_empty();
/// let mut query = world.query::<Has<Poisoned>>();
/// assert_eq!(query.iter(&world).count(), 2);
/// assert_eq!(query.iter(&world).filter(|poisoned| *poisoned).count(), 1);
/// ```
#[doc(alias("Satisfies", "HasComponent"))]
pub struct Has<C>(PhantomData<fn() -> C>);

impl_debug_as_type_name! { [C] Has<C>; }

fetched_items_and_slices! {
    [C: Component] Has<C> => HasTerm<C>: bool, Self;
}

/// The term of `Has<C>`.
#[doc(hidden)]
pub struct HasTerm<C>(PhantomData<fn() -> C>);

// SAFETY: borrows nothing: structural changes are impossible while a query is alive.
unsafe impl<C: Component> Fetch for HasTerm<C> {
    type State = TermState;
    type TableFetch<'w> = Presence<'w>;
    type Item<'w> = bool;
    type ReadOnly = Self;

    const TERM: ConstTerm = ConstTerm::of::<C>(Usage::Has);

    fn state(term: Term<'_>) -> TermState {
        TermState::of(term)
    }

    match_each_table!();

    #[inline]
    unsafe fn visit_table<'w>(cell: StoreCell<'w>, state: &TermState, (): (), table: &'w Table) -> Presence<'w> {
        Presence::new(cell, *state, table, is_sparse::<C>())
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        ready: Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        // SAFETY: forwarded: the row exists.
        ready.of(unsafe { rows.entity(row) })
    }
}

// SAFETY: borrows nothing.
unsafe impl<C: Component> ReadOnlyFetch for HasTerm<C> {}

// SAFETY: the result only says whether the rows have the component.
unsafe impl<C: Component> ContiguousFetch for HasTerm<C> {
    type Slice<'w> = bool;

    const SINGLE_ROWS: bool = is_sparse::<C>();

    #[inline(always)]
    unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, _: usize) -> Self::Slice<'w> {
        // SAFETY: forwarded: the first row exists. For a sparse component there is one row, otherwise all rows give the same
        // result.
        unsafe { Self::fetch_row::<false>(ready, rows, first) }
    }
}
