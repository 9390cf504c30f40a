//! Queries in the data of queries: [`NestedQuery`].
//!
//! A nested query reads entities other than that of its row. What it reads is part of what the query reads that it is in
//! (`ConstTerm::Nested`), so it is compared with all that a system borrows, and with what that query itself changes. Its tables are
//! kept in the state of the query that it is in, and are brought up to date with those of that one.

use core::marker::PhantomData;

use super::cache::QueryState;
use super::data::{DataOf, QueryData, ReadOnlyQueryData};
use super::fetch::{Fetch, Kept, ReadOnlyFetch, Rows};
use super::filter::{FilterOf, FilterTerms, QueryFilter};
use super::handle::Query;
use crate::cell::StoreCell;
use crate::store::Store;
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term, Terms};

/// In a query: a [`Query`] of other entities, which only reads. It matches every entity.
///
/// By itself it is as good as another parameter of the system. It is there for query data that looks at other entities: of a
/// `#[derive(QueryData)]` struct with an id and a nested query, methods of the item can look up what the id leads to.
///
/// What it reads counts as read by the query that it is in: beside a query that writes it, and in a query that writes it, it does
/// not compile, unless filters keep the entities apart. Query data with a nested query is none for single entities
/// ([`EntityRef::get_components`](crate::world::EntityRef::get_components)), and no lens is made of it.
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

/// `NestedQuery<..>`.
#[doc(hidden)]
pub struct NestedTerms<T, F>(PhantomData<fn() -> (T, F)>);

/// The tables that a nested query matches.
#[doc(hidden)]
pub struct NestedState<T: Fetch, F: FilterTerms> {
    /// Of which the state is made as soon as there is a store.
    terms: Option<Terms>,
    query: Option<QueryState<DataOf<T>, FilterOf<F>>>,
}

/// What a row gives: the permission to read what the nested query reads, for as long as the store is borrowed.
#[doc(hidden)]
pub struct NestedRow<'w, T, F> {
    cell: StoreCell<'w>,
    marker: PhantomData<fn() -> (T, F)>,
}

impl<'w, T: ReadOnlyFetch, F: FilterTerms> NestedRow<'w, T, F> {
    /// # Panics
    ///
    /// If the state is one of another query that was last used on another world, or before its last tables were made.
    #[inline]
    fn query<'s>(self, state: &'s NestedState<T, F>) -> Query<'w, 's, DataOf<T>, FilterOf<F>> {
        let up_to_date = state.query.as_ref().filter(|query| query.is_up_to_date(self.cell.store()));
        let query = up_to_date.expect("the state of a nested query is updated with that of the query that it is in");
        // SAFETY: the state is up to date. `row` made this with the promise that everything may be read for 'w that the terms `T` and
        // `F` read, which are those of the state; what only reads may be given out any number of times.
        unsafe { Query::new(self.cell, query) }
    }
}

// SAFETY: the term says that a nested query reads what its terms read, and nothing else is accessible: of the row itself nothing is.
// What it reads, threads share.
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
    unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, _: Rows, _: usize) -> Self::Item<'w> {
        NestedRow { cell: ready, marker: PhantomData }
    }
}

// SAFETY: a nested query only reads.
unsafe impl<T: ReadOnlyFetch, F: FilterTerms> ReadOnlyFetch for NestedTerms<T, F> {}
