//! Queries in the data of queries: [`NestedQuery`].
//!
//! A nested query reads entities other than the entity of its row. The outer query declares everything that the nested query reads
//! (`ConstTerm::Nested`). So conflicts are checked with the other borrows of a system and with the writes of the outer query
//! itself. The tables of the nested query are cached in the state of the outer query and updated with it.
//!
//! Tests: tests/queries/nested.rs

use core::marker::PhantomData;

use super::cache::QueryState;
use super::data::{DataOf, QueryData, ReadOnlyQueryData};
use super::fetch::{Fetch, Kept, ReadOnlyFetch, Rows};
use super::filter::{FilterOf, FilterTerms, QueryFilter};
use super::handle::Query;
use crate::access::term::{ConstTerm, Group, Term, Terms};
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

/// In a query: a read-only [`Query`] of other entities. It matches every entity.
///
/// On its own, a nested query is equivalent to another parameter of the system. Its purpose is query data that reads other
/// entities: if a `#[derive(QueryData)]` struct has an id and a nested query, methods of the item can look up the entity with this
/// id.
///
/// The components that a nested query reads count as read by the outer query. A nested query does not compile inside or together
/// with a query that writes these components, unless filters separate the entities. Query data with a nested query cannot be
/// fetched for single entities ([`EntityRef::get_components`](crate::world::EntityRef::get_components)), and a lens cannot contain
/// it.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::NestedQuery;
///
/// #[derive(Component)]
/// struct Follows(Entity);
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(QueryData)]
/// struct Leader {
///     follows: &'static Follows,
///     positions: NestedQuery<&'static Position>,
/// }
///
/// impl LeaderItem<'_, '_> {
///     fn position(&self) -> Option<f32> {
///         self.positions.get(self.follows.0).ok().map(|position| position.0)
///     }
/// }
///
/// fn print(followers: Query<(Entity, Leader)>) {
///     for (entity, leader) in &followers {
///         println!("{entity} follows what is at {:?}", leader.position());
///     }
/// }
///
/// let mut world = World::new();
/// let leader = world.spawn(Position(3.0)).id();
/// let follower = world.spawn(Follows(leader)).id();
/// world.run_system_once(print).unwrap();
/// let mut query = world.query::<Leader>();
/// assert_eq!(query.get(&world, follower).unwrap().position(), Some(3.0));
/// ```
pub struct NestedQuery<D, F = ()>(PhantomData<fn() -> (D, F)>);

impl_debug_as_type_name! { [D, F] NestedQuery<D, F>; }

impl<D: ReadOnlyQueryData, F: QueryFilter> QueryData for NestedQuery<D, F> {
    type Terms = NestedTerms<D::Terms, F::Terms>;
    type ReadOnly = Self;
    type Item<'w, 's> = Query<'w, 's, D, F>;

    #[inline]
    fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
        match kept {
            Some(state) => got.query(state).with_same_terms(),
            None => unreachable!("what is fetched of a single entity has no nested query: `TermFacts::assert_single`"),
        }
    }
}

/// The terms of `NestedQuery<..>`.
#[doc(hidden)]
pub struct NestedTerms<T, F>(PhantomData<fn() -> (T, F)>);

/// The tables that a nested query matches.
#[doc(hidden)]
pub struct NestedState<T: Fetch, F: FilterTerms> {
    /// The terms from which the query state is made on the first update.
    terms: Option<Terms>,
    query: Option<QueryState<DataOf<T>, FilterOf<F>>>,
}

/// The item of a row: permission to read the components of the nested query, for as long as the store is borrowed.
#[doc(hidden)]
pub struct NestedRow<'w, T, F> {
    cell: StoreCell<'w>,
    marker: PhantomData<fn() -> (T, F)>,
}

impl<'w, T: ReadOnlyFetch, F: FilterTerms> NestedRow<'w, T, F> {
    /// # Panics
    ///
    /// If the state belongs to a query that was last used on another world, or before the newest tables were created.
    #[inline]
    fn query<'s>(self, state: &'s NestedState<T, F>) -> Query<'w, 's, DataOf<T>, FilterOf<F>> {
        let up_to_date = state.query.as_ref().filter(|query| query.is_up_to_date(self.cell.store()));
        let query = up_to_date.expect("the state of a nested query is updated with that of the query that it is in");
        // SAFETY: the state is up to date. `fetch_row` made this value with the promise that everything that the terms `T` and `F` read
        // may be read for 'w, and these are the terms of the state; the query is read-only, so any number of them may be alive.
        unsafe { Query::new(self.cell, query) }
    }
}

// SAFETY: the term declares everything that a nested query reads, and it gives access to nothing else, not even to the row itself.
// The data is only read, so threads may share it.
unsafe impl<T: ReadOnlyFetch, F: FilterTerms> Fetch for NestedTerms<T, F> {
    type State = NestedState<T, F>;
    type Column = ();
    type TableFetch<'w> = StoreCell<'w>;
    type Item<'w> = NestedRow<'w, T, F>;
    type ReadOnly = Self;

    const TERM: ConstTerm = ConstTerm::Nested(&ConstTerm::Group(Group::All, &[T::TERM, F::TERM]));

    fn state(term: Term<'_>) -> Self::State {
        NestedState { terms: Some(Terms::of_nested(term)), query: None }
    }

    fn update(state: &mut Self::State, store: &Store) {
        if let Some(terms) = state.terms.take() {
            state.query = Some(QueryState::of_nested(store, terms));
        }
        if let Some(query) = &mut state.query {
            query.update(store);
        }
    }

    fn column(_: &Self::State, _: &Table) -> Option<()> {
        Some(())
    }

    #[inline]
    unsafe fn visit_table<'w>(cell: StoreCell<'w>, _: &Self::State, (): (), _: &'w Table) -> StoreCell<'w> {
        cell
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, _: Rows, _: usize) -> Self::Item<'w> {
        NestedRow { cell: ready, marker: PhantomData }
    }
}

// SAFETY: a nested query is read-only.
unsafe impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlyFetch for NestedTerms<T, F> {}
