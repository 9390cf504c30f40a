//! `AnyOf<(..)>` and query enums: terms of which an entity needs only one: the first of several that it has, or all that it has of several.
//!
//! Which of them a table can have is found out once per table. If the first that it can have is stored in tables, all of
//! its rows have it; only sparse components need a look at each row.

use core::any::type_name;
use core::convert::Infallible;
use core::fmt;
use core::hint::unreachable_unchecked;
use core::marker::PhantomData;

use super::option::Optional;
use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::query::data::{ContiguousQueryData, QueryData, SliceItem};
use crate::query::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch, Rows, Sharing};
use crate::store::Store;
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term};

/// In a query: all that an entity has of several terms, as a tuple of `Option`s. It matches entities that have at least
/// one of them.
///
/// For one of several things that exclude each other, `#[derive(QueryData)]` on an enum says so by type.
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

impl<T> fmt::Debug for AnyOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

/// What query enums are made of: the first of several terms that an entity has.
#[doc(hidden)]
pub struct FirstOf<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for FirstOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

/// The first of several terms that an entity has.
#[doc(hidden)]
pub struct FirstMatch<T>(PhantomData<fn() -> T>);

/// All that an entity has of several terms, at least one of which it needs: a tuple of options, of which one must be there.
#[doc(hidden)]
pub struct AnyMatch<T>(PhantomData<fn() -> T>);

/// A tuple of options, of which [`AnyMatch`] needs one.
///
/// # Safety
///
/// - `ANY` is a group of the terms within the options, which `state_of_any` reads.
#[doc(hidden)]
pub unsafe trait AnyMembers: Fetch {
    /// [`AnyMatch`] of the terms that only read.
    type ReadOnlyAny: ReadOnlyFetch<State = Self::State, Column = Self::Column>;

    const ANY: ConstTerm;

    fn state_of_any(term: Term<'_>) -> Self::State;

    /// Whether a table with these columns can have one of the terms.
    fn any_column(columns: &Self::Column) -> bool;

    /// Whether an entity has one of the terms.
    fn any_contains(ready: Self::Ready<'_>, entity: Entity) -> bool;
}

// SAFETY: borrows what its members borrow, and demands what all of them demand. Of each row those members are read that are
// there: each looks by itself.
unsafe impl<T: AnyMembers> Fetch for AnyMatch<T> {
    type State = T::State;
    type Column = T::Column;
    type Ready<'w> = T::Ready<'w>;
    type Item<'w> = T::Item<'w>;
    type ReadOnly = T::ReadOnlyAny;

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
    unsafe fn ready<'w>(cell: StoreCell<'w>, state: &T::State, column: T::Column, table: &'w Table) -> T::Ready<'w> {
        // SAFETY: the caller's promise.
        unsafe { T::ready(cell, state, column, table) }
    }

    #[inline]
    fn contains(ready: T::Ready<'_>, entity: Entity) -> bool {
        T::any_contains(ready, entity)
    }

    #[inline]
    unsafe fn row<'w>(ready: T::Ready<'w>, rows: Rows, row: usize) -> T::Item<'w> {
        // SAFETY: the caller's promise; each member looks whether it is there.
        unsafe { T::row(ready, rows, row) }
    }
}

// SAFETY: what the members give of the rows, where they are there.
unsafe impl<T: AnyMembers + ContiguousFetch> ContiguousFetch for AnyMatch<T> {
    type Slice<'w> = T::Slice<'w>;

    const SINGLE_ROWS: bool = T::SINGLE_ROWS;

    #[inline(always)]
    unsafe fn mark(ready: T::Ready<'_>, rows: Rows, first: usize, count: usize, sharing: Sharing) {
        // SAFETY: the caller's promise.
        unsafe { T::mark(ready, rows, first, count, sharing) }
    }

    #[inline(always)]
    unsafe fn slice<'w>(ready: T::Ready<'w>, rows: Rows, first: usize, count: usize) -> T::Slice<'w> {
        // SAFETY: the caller's promise.
        unsafe { T::slice(ready, rows, first, count) }
    }
}

/// What one of up to 15 terms gives. Those that do not exist give nothing, so their variants take no room and need no arm
/// in a `match`.
#[doc(hidden)]
#[derive(Debug)]
pub enum Alternative<
    A,
    B = Infallible,
    C = Infallible,
    D = Infallible,
    E = Infallible,
    F = Infallible,
    G = Infallible,
    H = Infallible,
    I = Infallible,
    J = Infallible,
    K = Infallible,
    L = Infallible,
    M = Infallible,
    N = Infallible,
    O = Infallible,
> {
    A(A),
    B(B),
    C(C),
    D(D),
    E(E),
    F(F),
    G(G),
    H(H),
    I(I),
    J(J),
    K(K),
    L(L),
    M(M),
    N(N),
    O(O),
}

/// In [`Candidates`]: the rows of the table differ.
const OPEN: u8 = u8::MAX;

/// The terms that rows of a table may have.
#[derive(Clone, Copy)]
pub struct Candidates<R> {
    /// A tuple of options.
    terms: R,
    /// The number of the term that all rows yield, or [`OPEN`].
    fixed: u8,
}

/// Whether an entity of a table has what the term asks for, if the table can have it.
#[inline]
fn has<T: Fetch>(ready: Option<T::Ready<'_>>, entity: Entity) -> bool {
    match ready {
        Some(ready) => !T::PER_ROW || T::contains(ready, entity),
        None => false,
    }
}

/// What the chosen term yields of a row.
///
/// # Safety
///
/// - As for [`Fetch::row`]; the table can have the term.
#[inline]
unsafe fn chosen_row<'w, T: Fetch>(ready: Option<T::Ready<'w>>, rows: Rows, row: usize) -> T::Item<'w> {
    debug_assert!(ready.is_some());
    // SAFETY: the caller's promise, for both.
    unsafe { T::row(ready.unwrap_unchecked(), rows, row) }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: QueryData),*> QueryData for AnyOf<($($T,)*)> {
            type Terms = AnyMatch<($(Optional<$T::Terms>,)*)>;
            type ReadOnly = AnyOf<($($T::ReadOnly,)*)>;
            type Item<'w, 's> = ($(Option<$T::Item<'w, 's>>,)*);

            #[inline]
            fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
                <($(Option<$T>,)*) as QueryData>::item(got, kept)
            }
        }

        impl<$($T: ContiguousQueryData),*> SliceItem<AnyMatch<($(Optional<$T::Terms>,)*)>> for AnyOf<($($T,)*)> {
            type Contiguous<'w, 's> = ($(Option<$T::Contiguous<'w, 's>>,)*);

            #[inline(always)]
            fn contiguous<'w, 's>(
                got: <AnyMatch<($(Optional<$T::Terms>,)*)> as ContiguousFetch>::Slice<'w>,
            ) -> Self::Contiguous<'w, 's> {
                <($(Option<$T>,)*) as ContiguousQueryData>::contiguous(got)
            }
        }

        impl<$($T: QueryData),*> QueryData for FirstOf<($($T,)*)> {
            type Terms = FirstMatch<($($T::Terms,)*)>;
            type ReadOnly = FirstOf<($($T::ReadOnly,)*)>;
            type Item<'w, 's> = Alternative<$($T::Item<'w, 's>),*>;

            #[inline]
            fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's> {
                let kept = kept_of_members!(kept $($T $at)*);
                match got {
                    $(Alternative::$T(got) => Alternative::$T($T::item(got, kept.$at)),)*
                }
            }
        }

        impl<$($T: Fetch),*> FirstMatch<($($T,)*)> {
            /// The number of the first term that an entity has, or [`OPEN`].
            #[inline]
            fn choose(ready: <Self as Fetch>::Ready<'_>, entity: Entity) -> u8 {
                $(
                    if has::<$T>(ready.terms.$at, entity) {
                        return $at;
                    }
                )*
                OPEN
            }
        }

        // SAFETY: what is borrowed is what one of the members borrows, and what is demanded is what all of them demand. Of
        // each row one member is read, which is there.
        unsafe impl<$($T: Fetch),*> Fetch for FirstMatch<($($T,)*)> {
            type State = ($($T::State,)*);
            type Column = ($(Option<$T::Column>,)*);
            type Ready<'w> = Candidates<($(Option<$T::Ready<'w>>,)*)>;
            type Item<'w> = Alternative<$($T::Item<'w>),*>;
            type ReadOnly = FirstMatch<($($T::ReadOnly,)*)>;

            const TERM: ConstTerm = ConstTerm::Group(Group::FirstOf, &[$($T::TERM),*]);

            fn state(term: Term<'_>) -> Self::State {
                <($($T,)*) as Fetch>::state(term)
            }

            fn update(state: &mut Self::State, store: &Store) {
                <($($T,)*) as Fetch>::update(state, store);
            }

            /// Nothing is kept of the members behind one that all rows have: they are never reached.
            fn column(state: &Self::State, table: &Table) -> Option<Self::Column> {
                let mut columns: Self::Column = ($(None::<$T::Column>,)*);
                let mut found = false;
                $(
                    columns.$at = $T::column(&state.$at, table);
                    found |= columns.$at.is_some();
                    if !$T::PER_ROW && columns.$at.is_some() {
                        return Some(columns);
                    }
                )*
                found.then_some(columns)
            }

            #[inline]
            unsafe fn ready<'w>(
                cell: StoreCell<'w>,
                state: &Self::State,
                column: Self::Column,
                table: &'w Table,
            ) -> Self::Ready<'w> {
                let fixed = 'first: {
                    $(
                        if column.$at.is_some() {
                            break 'first if $T::PER_ROW { OPEN } else { $at };
                        }
                    )*
                    OPEN
                };
                // SAFETY: the caller's promise.
                let terms = unsafe { <($(Optional<$T>,)*) as Fetch>::ready(cell, state, column, table) };
                Candidates { terms, fixed }
            }

            #[inline]
            fn contains(ready: Self::Ready<'_>, entity: Entity) -> bool {
                ready.fixed != OPEN || Self::choose(ready, entity) != OPEN
            }

            #[inline]
            unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
                let chosen = if Self::PER_ROW && ready.fixed == OPEN {
                    // SAFETY: the caller promises that the row exists.
                    Self::choose(ready, unsafe { rows.entity(row) })
                } else {
                    ready.fixed
                };
                match chosen {
                    // SAFETY: only a term that the table has is chosen for a table or a row; the row has it, since it was
                    // asked, or there is no need to ask. The access is allowed, as the caller promises.
                    $($at => Alternative::$T(unsafe { chosen_row::<$T>(ready.terms.$at, rows, row) }),)*
                    _ => {
                        debug_assert!(false, "a row that does not match");
                        // SAFETY: the caller promises that `contains` is true, so there is a term to choose; and without
                        // `PER_ROW` a matched table has one that is fixed.
                        unsafe { unreachable_unchecked() }
                    }
                }
            }
        }

        // SAFETY: reads what its members read.
        unsafe impl<$($T: ReadOnlyFetch),*> ReadOnlyFetch for FirstMatch<($($T,)*)> {}

        // SAFETY: the terms, and their states in the same order.
        unsafe impl<$($T: Fetch),*> AnyMembers for ($(Optional<$T>,)*) {
            type ReadOnlyAny = AnyMatch<($(Optional<$T::ReadOnly>,)*)>;

            const ANY: ConstTerm = ConstTerm::Group(Group::AnyOf, &[$($T::TERM),*]);

            fn state_of_any(term: Term<'_>) -> Self::State {
                <($($T,)*) as Fetch>::state(term)
            }

            fn any_column(columns: &Self::Column) -> bool {
                false $(|| columns.$at.is_some())*
            }

            #[inline]
            fn any_contains(ready: Self::Ready<'_>, entity: Entity) -> bool {
                false $(|| has::<$T>(ready.$at, entity))*
            }
        }

        // SAFETY: reads what its members read.
        unsafe impl<$($T: ReadOnlyFetch),*> ReadOnlyFetch for AnyMatch<($(Optional<$T>,)*)> {}
    };
}

all_tuples!(tuples);
