//! `AnyOf<(..)>` and query enums: data of which an entity needs only one term. A query enum yields the first term that the entity
//! has; `AnyOf` yields every term that it has.
//!
//! The terms that a table can have are determined once per table. If the first possible term is stored in tables, all rows have it.
//! Rows are checked only if sparse components decide.
//!
//! Tests: tests/queries/enums.rs, tests/queries/enum_model.rs

use core::marker::PhantomData;

use super::option::Optional;
use crate::access::term::{ConstTerm, Group, Term};
use crate::entity::Entity;
use crate::query::data::{ContiguousQueryData, QueryData, SliceItem};
use crate::query::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch, Rows, Sharing};
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

/// In a query: the items of several terms, as a tuple of `Option`s. An option is `Some` if the entity has the term. `AnyOf` matches
/// entities that have at least one of the terms.
///
/// For alternatives that exclude each other, use `#[derive(QueryData)]` on an enum, which expresses this in its type.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Shield(u32);
/// # let mut world = World::new();
/// world.spawn(Health(1));
/// world.spawn((Health(2), Shield(3)));
/// world.spawn_empty();
/// let mut query = world.query::<AnyOf<(&Health, &Shield)>>();
/// let found = query.iter(&world).map(|(health, shield)| (health.map(|it| it.0), shield.map(|it| it.0)));
/// assert_eq!(found.collect::<Vec<_>>(), [(Some(1), None), (Some(2), Some(3))]);
/// ```
#[doc(alias("WithAny"))]
pub struct AnyOf<T>(PhantomData<fn() -> T>);

impl_debug_as_type_name! { [T] AnyOf<T>; }

/// The data of query enums. Yields the item of the first term, or else the item of the second, which may be a `FirstOf` itself.
#[doc(hidden)]
pub struct FirstOf<A, B>(PhantomData<fn() -> (A, B)>);

impl_debug_as_type_name! { [A, B] FirstOf<A, B>; }

/// The term of [`FirstOf`]: the first of two terms that an entity has.
#[doc(hidden)]
pub struct FirstMatch<A, B>(PhantomData<fn() -> (A, B)>);

/// The term of [`AnyOf`]: a tuple of options. An option is `Some` if the entity has the term in it. At least one option is `Some`.
#[doc(hidden)]
pub struct AnyMatch<T>(PhantomData<fn() -> T>);

/// The members of an [`AnyOf`]: a tuple of query data.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`AnyOf<{Self}>` cannot be queried: its members are not a tuple of at most 16 terms",
    label = "not a tuple of at most 16 terms",
    note = "write `AnyOf<(&A, &B)>`; more than 16 terms are nested: `AnyOf<(AnyOf<(&A, &B)>, AnyOf<(&C, &D)>)>`"
)]
pub trait AnyOfMembers {
    /// The tuple of the members' options.
    type Options: QueryData<Terms: AnyMembers>;
    /// The members with read-only access.
    type ReadOnly: AnyOfMembers<Options: QueryData<Terms = <TermsOf<Self> as AnyMembers>::ReadOnlyMembers>>;
}

type TermsOf<T> = <<T as AnyOfMembers>::Options as QueryData>::Terms;

impl<T: AnyOfMembers> QueryData for AnyOf<T> {
    type Terms = AnyMatch<TermsOf<T>>;
    type ReadOnly = AnyOf<T::ReadOnly>;
    type Item<'w, 's> = <T::Options as QueryData>::Item<'w, 's>;

    #[inline]
    fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
        T::Options::item(got, kept)
    }
}

impl<T: AnyOfMembers<Options: ContiguousQueryData>> SliceItem<AnyMatch<TermsOf<T>>> for AnyOf<T> {
    type Contiguous<'w, 's> = <T::Options as ContiguousQueryData>::Contiguous<'w, 's>;

    #[inline(always)]
    fn contiguous<'w, 's>(got: <TermsOf<T> as ContiguousFetch>::Slice<'w>) -> Self::Contiguous<'w, 's> {
        T::Options::contiguous(got)
    }
}

/// An option, a tuple of options, or a tuple of such tuples. [`AnyMatch`] matches if at least one of the options does.
///
/// # Safety
///
/// - For an option, `ANY` is the term inside it. For a tuple, `ANY` is the group of the `ANY` terms of the members.
/// - `state_of_any` is called with that term, and returns the state for it.
#[doc(hidden)]
pub unsafe trait AnyMembers: Fetch {
    /// The read-only terms.
    type ReadOnlyMembers: AnyMembers<ReadOnlyMembers = Self::ReadOnlyMembers>
        + ReadOnlyFetch<State = Self::State, Column = Self::Column>;

    const ANY: ConstTerm;

    fn state_of_any(term: Term<'_>) -> Self::State;

    /// Returns whether a table with these columns can have one of the terms.
    fn any_column(columns: &Self::Column) -> bool;

    /// Returns whether an entity has one of the terms.
    fn any_contains(ready: Self::TableFetch<'_>, entity: Entity) -> bool;
}

// SAFETY: borrows what its members borrow, and demands what all of them demand. Each member checks whether a row has it before
// reading it.
unsafe impl<T: AnyMembers> Fetch for AnyMatch<T> {
    type State = T::State;
    type Column = T::Column;
    type TableFetch<'w> = T::TableFetch<'w>;
    type Item<'w> = T::Item<'w>;
    type ReadOnly = AnyMatch<T::ReadOnlyMembers>;

    const TERM: ConstTerm = T::ANY;

    fn state(term: Term<'_>) -> T::State {
        T::state_of_any(term)
    }

    fn update(state: &mut T::State, store: &Store) {
        T::update(state, store);
    }

    fn column(state: &T::State, table: &Table) -> Option<T::Column> {
        T::column(state, table).filter(T::any_column)
    }

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &T::State,
        column: T::Column,
        table: &'w Table,
    ) -> T::TableFetch<'w> {
        // SAFETY: forwarded: the state and column of the members belong to this store and table.
        unsafe { T::visit_table(cell, state, column, table) }
    }

    #[inline]
    fn contains(ready: T::TableFetch<'_>, entity: Entity) -> bool {
        T::any_contains(ready, entity)
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>(ready: T::TableFetch<'w>, rows: Rows, row: usize) -> T::Item<'w> {
        // SAFETY: forwarded: the row exists and the access is allowed; each member checks whether the row has it.
        unsafe { T::fetch_row::<RECORDED>(ready, rows, row) }
    }
}

// SAFETY: the members are read-only.
unsafe impl<T: AnyMembers<ReadOnlyMembers = T> + ReadOnlyFetch> ReadOnlyFetch for AnyMatch<T> {}

// SAFETY: a slice consists of the slices of its members, for rows that have them.
unsafe impl<T: AnyMembers + ContiguousFetch> ContiguousFetch for AnyMatch<T> {
    type Slice<'w> = T::Slice<'w>;

    const SINGLE_ROWS: bool = T::SINGLE_ROWS;

    #[inline(always)]
    unsafe fn mark(ready: T::TableFetch<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // SAFETY: forwarded: the rows exist, and their ticks may be written.
        unsafe { T::mark(ready, rows, first, count, sharing) }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: T::TableFetch<'w>, rows: Rows, first: usize, count: usize) -> T::Slice<'w> {
        // SAFETY: forwarded: the rows exist, and the access to them is allowed.
        unsafe { T::slice(ready, rows, first, count) }
    }
}

/// The item of one of two terms.
#[doc(hidden)]
#[derive(Debug)]
pub enum Alternative<A, B> {
    First(A),
    Rest(B),
}

/// Returns whether an entity of a table has a term, if the table can have it.
#[inline]
fn has<T: Fetch>(ready: Option<T::TableFetch<'_>>, entity: Entity) -> bool {
    ready.is_some_and(|ready| !T::PER_ROW || T::contains(ready, entity))
}

impl<A: QueryData, B: QueryData> QueryData for FirstOf<A, B> {
    type Terms = FirstMatch<A::Terms, B::Terms>;
    type ReadOnly = FirstOf<A::ReadOnly, B::ReadOnly>;
    type Item<'w, 's> = Alternative<A::Item<'w, 's>, B::Item<'w, 's>>;

    #[inline]
    fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
        let kept = kept_of_members!(kept A 0 B 1);
        match got {
            Alternative::First(got) => Alternative::First(A::item(got, kept.0)),
            Alternative::Rest(got) => Alternative::Rest(B::item(got, kept.1)),
        }
    }
}

// SAFETY: borrows what one of its members borrows, and demands what both demand. Each row reads one member that the row has.
unsafe impl<A: Fetch, B: Fetch> Fetch for FirstMatch<A, B> {
    type State = (A::State, B::State);
    type Column = (Option<A::Column>, Option<B::Column>);
    type TableFetch<'w> = (Option<A::TableFetch<'w>>, Option<B::TableFetch<'w>>);
    type Item<'w> = Alternative<A::Item<'w>, B::Item<'w>>;
    type ReadOnly = FirstMatch<A::ReadOnly, B::ReadOnly>;

    const TERM: ConstTerm = ConstTerm::Group(Group::FirstOf, &[A::TERM, B::TERM]);

    fn state(term: Term<'_>) -> Self::State {
        <(A, B) as Fetch>::state(term)
    }

    fn update(state: &mut Self::State, store: &Store) {
        <(A, B) as Fetch>::update(state, store);
    }

    /// Omits the column of the second member if all rows have the first member: the column is never used then.
    fn column((first, rest): &Self::State, table: &Table) -> Option<Self::Column> {
        let first = A::column(first, table);
        if !A::PER_ROW && first.is_some() {
            return Some((first, None));
        }
        let rest = B::column(rest, table);
        (first.is_some() || rest.is_some()).then_some((first, rest))
    }

    #[inline]
    unsafe fn visit_table<'w>(
        cell: StoreCell<'w>,
        state: &Self::State,
        column: Self::Column,
        table: &'w Table,
    ) -> Self::TableFetch<'w> {
        // SAFETY: forwarded: the state and column of the members belong to this store and table.
        unsafe { <(Optional<A>, Optional<B>) as Fetch>::visit_table(cell, state, column, table) }
    }

    #[inline]
    fn contains((first, rest): Self::TableFetch<'_>, entity: Entity) -> bool {
        has::<A>(first, entity) || has::<B>(rest, entity)
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        (first, rest): Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        if let Some(first) = first {
            // SAFETY: forwarded: the row exists.
            if !A::PER_ROW || A::contains(first, unsafe { rows.entity(row) }) {
                // SAFETY: the row has the first member: this was checked, or needs no check. The access is allowed (forwarded).
                return Alternative::First(unsafe { A::fetch_row::<RECORDED>(first, rows, row) });
            }
        }
        debug_assert!(rest.is_some(), "a row that does not match");
        // SAFETY: `contains` is true or not needed (forwarded), so the row has one of the members. It does not have the first, so
        // it has the other one, and `rest` is `Some`. The access is allowed (forwarded).
        Alternative::Rest(unsafe { B::fetch_row::<RECORDED>(rest.unwrap_unchecked(), rows, row) })
    }
}

// SAFETY: both members are read-only.
unsafe impl<A: ReadOnlyFetch, B: ReadOnlyFetch> ReadOnlyFetch for FirstMatch<A, B> {}

macro_rules! members {
    ($($T:ident $at:tt)*) => {
        impl<$($T: QueryData),*> AnyOfMembers for ($($T,)*) {
            type Options = ($(Option<$T>,)*);
            type ReadOnly = ($($T::ReadOnly,)*);
        }
    };
}

all_tuples!(members);

// SAFETY: `ANY` is the term inside the option, and the state belongs to it.
unsafe impl<T: Fetch> AnyMembers for Optional<T> {
    type ReadOnlyMembers = Optional<T::ReadOnly>;

    const ANY: ConstTerm = T::TERM;

    fn state_of_any(term: Term<'_>) -> T::State {
        T::state(term)
    }

    fn any_column(column: &Option<T::Column>) -> bool {
        column.is_some()
    }

    #[inline]
    fn any_contains(ready: Option<T::TableFetch<'_>>, entity: Entity) -> bool {
        has::<T>(ready, entity)
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        // SAFETY: `ANY` is the group of the members' terms, and the states are in the same order.
        unsafe impl<$($T: AnyMembers),*> AnyMembers for ($($T,)*) {
            type ReadOnlyMembers = ($($T::ReadOnlyMembers,)*);

            const ANY: ConstTerm = ConstTerm::Group(Group::AnyOf, &[$($T::ANY),*]);

            fn state_of_any(term: Term<'_>) -> Self::State {
                let mut members = term.members();
                ($($T::state_of_any(members.one()),)*)
            }

            fn any_column(columns: &Self::Column) -> bool {
                false $(|| $T::any_column(&columns.$at))*
            }

            #[inline]
            fn any_contains(ready: Self::TableFetch<'_>, entity: Entity) -> bool {
                false $(|| $T::any_contains(ready.$at, entity))*
            }
        }
    };
}

small_tuples!(tuples);
