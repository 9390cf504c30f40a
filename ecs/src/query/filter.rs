//! What a query demands of an entity besides its data.

use core::marker::PhantomData;

use super::fetch::{Rows, Sharing};
use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::term::{ConstTerm, Term, TermFacts};
use crate::tracking::LoggedRows;

/// Which entities a query matches, besides those that lack its data: [`With`], [`Without`], [`Or`], tuples of up to 16
/// filters, all of which must hold, and structs with `#[derive(QueryFilter)]`, for which the same is true.
///
/// Entities with a [disabling component](crate::entity_disabling) match only if the query names it, for which
/// [`Allow`](crate::query::Allow) is there.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Enemy;
/// #[derive(Component)]
/// struct Burning;
/// #[derive(Component)]
/// struct Frozen;
///
/// let mut world = World::new();
/// world.spawn((Enemy, Burning));
/// world.spawn((Enemy, Frozen));
/// world.spawn(Enemy);
///
/// let mut hurt = world.query_filtered::<Entity, (With<Enemy>, Or<(With<Burning>, With<Frozen>)>)>();
/// assert_eq!(hurt.iter(&world).count(), 2);
/// let mut well = world.query_filtered::<Entity, (Without<Burning>, Without<Frozen>)>();
/// assert_eq!(well.iter(&world).count(), 1);
/// ```
///
/// [`With`]: crate::query::With
/// [`Without`]: crate::query::Without
/// [`Or`]: crate::query::Or
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter: write `With<T>` or `Without<T>` of a component `T`, or a tuple of at most 16 filters",
    label = "not a filter",
    note = "a filter is `With<T>`, `Without<T>`, `Added<T>` or `Changed<T>` of a component `T`, `Added<Pairs<R>>` or \
            `Changed<Pairs<R>>` of a relation `R`, `Spawned`, `Or<(..)>`, a tuple of these, or a struct with `#[derive(QueryFilter)]`",
    note = "a larger tuple contains further tuples, `((F, G), (H, I))`, and in `Or` further `Or`s: `Or<(Or<(F, G)>, Or<(H, I)>)>`"
)]
#[doc(alias("WorldQuery", "EntityFilter"))]
pub trait QueryFilter {
    /// How it is decided.
    #[doc(hidden)]
    type Terms: FilterTerms;
}

/// How filters are decided: first for a table, then, if need be, for each of its rows.
///
/// What a filter says, it says in `TERM`, as data terms do; see [`Fetch`](super::fetch::Fetch).
///
/// # Safety
///
/// - What the term says that matched entities have or lack is true of every entity of a table that the term matches of
///   which (with `PER_ROW`) `contains` says that it matches.
/// - No constant that follows from `TERM` is set otherwise.
#[doc(hidden)]
pub unsafe trait FilterTerms: 'static {
    /// What is known once the query exists.
    type State: Send + Sync + 'static;
    /// What is known while a table is visited.
    type TableFetch<'w>: Copy;

    /// What the filter says.
    const TERM: ConstTerm;

    /// What follows from it for loops.
    const FACTS: TermFacts = Self::TERM.facts();
    /// Whether rows of a matched table may differ, so that `contains` has to be asked.
    const PER_ROW: bool = Self::FACTS.per_row;

    /// The state for the term in a world, which was made of `TERM`.
    fn state(term: Term<'_>) -> Self::State;

    /// Gets a table ready.
    fn visit_table<'w>(cell: StoreCell<'w>, state: &Self::State, table: &'w Table) -> Self::TableFetch<'w>;

    /// Whether an entity of the table matches.
    fn contains(ready: Self::TableFetch<'_>, entity: Entity, row: usize) -> bool;

    /// Whether any row of the table may match.
    #[inline]
    fn any(_: Self::TableFetch<'_>) -> bool {
        true
    }

    /// The first row from `row` on, which is a multiple of 64, that may match, rounded down to such a multiple; or `end`.
    #[inline]
    fn skip(_: Self::TableFetch<'_>, row: usize, _: usize) -> usize {
        row
    }

    /// A bit for each of `count` rows from `row` on, which is a multiple of 64, that matches; at most 64. The other bits mean
    /// nothing.
    ///
    /// # Safety
    ///
    /// - `ready` and `rows` are those of a table that has the rows and has not changed since. What the term borrows is
    ///   allowed.
    /// - Unless the table is shared, no other thread changes values of rows of this group meanwhile.
    #[inline]
    unsafe fn mask(ready: Self::TableFetch<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
        let _ = sharing;
        if !Self::PER_ROW {
            // All rows are alike.
            // SAFETY: the caller promises that there is this row.
            return if Self::contains(ready, unsafe { rows.entity(row) }, row) { u64::MAX } else { 0 };
        }
        // SAFETY: the caller's promise.
        unsafe { rows.mask(row, count, |entity, row| Self::contains(ready, entity, row)) }
    }

    /// Where the rows end that all match, from `row` on, which is a multiple of 64 and before `end`: this is one, too, or `end`.
    /// It may be said too early.
    ///
    /// # Safety
    ///
    /// - As for [`mask`](Self::mask), for all rows from `row` to `end`.
    #[inline]
    unsafe fn end_of_matching(
        ready: Self::TableFetch<'_>,
        rows: Rows,
        row: usize,
        end: usize,
        sharing: Sharing,
    ) -> usize {
        let _ = sharing;
        // SAFETY: the caller promises that there is this row.
        if !Self::PER_ROW && Self::contains(ready, unsafe { rows.entity(row) }, row) { end } else { row }
    }

    /// Rows of the table among which are all that match, if there is a list of such rows.
    #[inline]
    fn logged(_: Self::TableFetch<'_>) -> Option<LoggedRows<'_>> {
        None
    }

    /// Values of a sparse storage among which are those of all entities that match, if there is a list of such values.
    #[inline]
    fn logged_sparse<'w>(_: StoreCell<'w>, _: &Self::State) -> Option<(&'w SparseStorage, LoggedRows<'w>)> {
        None
    }
}

/// The filter of a query that is known by its terms only.
#[doc(hidden)]
pub struct FilterOf<F>(PhantomData<fn() -> F>);

impl<F: FilterTerms> QueryFilter for FilterOf<F> {
    type Terms = F;
}
