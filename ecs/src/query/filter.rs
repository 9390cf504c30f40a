//! Query filters: conditions on entities in addition to the data.
//!
//! Tests: tests/queries/filters.rs

use core::marker::PhantomData;

use super::fetch::{Rows, Sharing};
use crate::access::term::{ConstTerm, Term, TermFacts};
use crate::entity::Entity;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tracking::LoggedRows;
use crate::structure::cell::StoreCell;

/// Restricts the entities that a query matches. Filters are [`With`], [`Without`], [`Or`] and others, tuples of up to 16 filters,
/// all of which must hold, and structs with `#[derive(QueryFilter)]`, all of whose fields must hold.
///
/// Entities with a [disabling component](crate::entity_disabling) match only if the query names that component, for example with
/// [`Allow`](crate::query::Allow).
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
    /// The terms that evaluate the filter.
    #[doc(hidden)]
    type Terms: FilterTerms;
}

/// Evaluates a filter: first for a table, then, if necessary, for each of its rows.
///
/// Like a data term, a filter is described in one place, `TERM`; see [`Fetch`](super::fetch::Fetch).
///
/// # Safety
///
/// - If the term matches a table, each entity of the table has the components that `TERM` demands, and lacks those that it
///   excludes. With `PER_ROW`, this holds for each entity for which `contains` returns true.
/// - Constants whose default is derived from `TERM` are not overridden.
#[doc(hidden)]
pub unsafe trait FilterTerms: 'static {
    /// State per query.
    type State: Send + Sync + 'static;
    /// State per visit of a table.
    type TableFetch<'w>: Copy;

    /// The description of the filter.
    const TERM: ConstTerm;

    /// Facts derived from `TERM` that loops use.
    const FACTS: TermFacts = Self::TERM.facts();
    /// Whether some rows of a matched table may match and others not, so that `contains` has to be called.
    const PER_ROW: bool = Self::FACTS.per_row;

    /// Returns the state for a term of a world. `term` was made from `TERM`.
    fn state(term: Term<'_>) -> Self::State;

    /// Prepares the visit of a table.
    fn visit_table<'w>(cell: StoreCell<'w>, state: &Self::State, table: &'w Table) -> Self::TableFetch<'w>;

    /// Returns whether an entity of the table matches.
    fn contains(ready: Self::TableFetch<'_>, entity: Entity, row: usize) -> bool;

    /// Returns whether any row of the table may match.
    #[inline]
    fn any(_: Self::TableFetch<'_>) -> bool {
        true
    }

    /// Returns the first row of the first group that may match, from `row` on, or `end` if there is no such group. `row` is a
    /// multiple of 64.
    #[inline]
    fn skip(_: Self::TableFetch<'_>, row: usize, _: usize) -> usize {
        row
    }

    /// Returns a mask of the matching rows among `count` rows from `row` on. `row` is a multiple of 64, and `count` is at most 64.
    /// Bits from `count` on are unspecified.
    ///
    /// # Safety
    ///
    /// - `ready` and `rows` belong to a table that has the rows and has not changed since. The values that the term borrows may be
    ///   read.
    /// - Unless `sharing` is `Sharing::Rows`, no other thread changes values of rows of this group during the call.
    #[inline]
    unsafe fn mask(ready: Self::TableFetch<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
        let _ = sharing;
        if !Self::PER_ROW {
            // No row has to be checked, so all rows give the same result.
            // SAFETY: forwarded: the row exists.
            return if Self::contains(ready, unsafe { rows.entity(row) }, row) { u64::MAX } else { 0 };
        }
        // SAFETY: forwarded: the rows exist in the table, which has not changed since.
        unsafe { rows.mask(row, count, |entity, row| Self::contains(ready, entity, row)) }
    }

    /// Returns the end of the run of matching rows that begins with `row`. `row` is a multiple of 64 and less than `end`. The
    /// result is a multiple of 64 or `end`, and may be lower than the true end.
    ///
    /// # Safety
    ///
    /// - The conditions of [`mask`](Self::mask) hold for all rows from `row` to `end`.
    #[inline]
    unsafe fn end_of_matching(
        ready: Self::TableFetch<'_>,
        rows: Rows,
        row: usize,
        end: usize,
        sharing: Sharing,
    ) -> usize {
        let _ = sharing;
        // SAFETY: forwarded: the row exists.
        if !Self::PER_ROW && Self::contains(ready, unsafe { rows.entity(row) }, row) { end } else { row }
    }

    /// Returns a list of rows of the table that contains all matching rows, if there is such a list.
    #[inline]
    fn logged(_: Self::TableFetch<'_>) -> Option<LoggedRows<'_>> {
        None
    }

    /// Returns a sparse storage with a list of its values, if there is such a list. The list contains the values of all matching
    /// entities.
    #[inline]
    fn logged_sparse<'w>(_: StoreCell<'w>, _: &Self::State) -> Option<(&'w SparseStorage, LoggedRows<'w>)> {
        None
    }
}

/// A query filter that is identified by its terms alone.
#[doc(hidden)]
pub struct FilterOf<F>(PhantomData<fn() -> F>);

impl<F: FilterTerms> QueryFilter for FilterOf<F> {
    type Terms = F;
}
