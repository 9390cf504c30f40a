//! Terms that are made of others, and terms that every table matches.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::fetch::{Fetch, Presence, ReadOnlyFetch, Rows, TermState};
use super::term::{Demand, Term};
use crate::access::FilteredAccess;
use crate::cell::Cell;
use crate::component::Component;
use crate::const_access::ConstAccess;
use crate::entity::Entity;
use crate::store::Store;
use crate::table::Table;

/// `Option<..>`.
#[doc(hidden)]
pub struct Optional<T>(PhantomData<fn() -> T>);

// SAFETY: what is borrowed is what the inner terms borrow, and nothing is demanded. Rows are read only where the inner
// terms are there.
unsafe impl<T: Fetch> Fetch for Optional<T> {
    type State = T::State;
    type Column = Option<T::Column>;
    type Ready<'w> = Option<T::Ready<'w>>;
    type Item<'w> = Option<T::Item<'w>>;
    type ReadOnly = Optional<T::ReadOnly>;

    const PER_ROW: bool = false;
    // Nothing is demanded.
    const NAMES_SPARSE: bool = false;
    const WIDEST: usize = T::WIDEST;
    const ACCESS: ConstAccess = ConstAccess::Optional(&T::ACCESS);

    fn init(store: &mut Store) -> T::State {
        T::init(store)
    }

    fn find(store: &Store) -> Option<T::State> {
        T::find(store)
    }

    fn describe(store: &Store) -> Term {
        Term::optional(T::describe(store))
    }

    fn access(state: &T::State, access: &mut FilteredAccess) {
        let mut inner = FilteredAccess::default();
        T::access(state, &mut inner);
        access.add_borrows_of(&inner);
    }

    fn required_sparse(_: &T::State, _: &mut dyn FnMut(u32)) {}

    fn column(state: &T::State, table: &Table) -> Option<Option<T::Column>> {
        Some(T::column(state, table))
    }

    #[inline]
    unsafe fn ready<'w>(
        cell: Cell<'w>,
        state: &T::State,
        column: Option<T::Column>,
        table: &'w Table,
    ) -> Option<T::Ready<'w>> {
        // SAFETY: the caller's promise.
        column.map(|column| unsafe { T::ready(cell, state, column, table) })
    }

    #[inline]
    fn contains(_: Option<T::Ready<'_>>, _: Entity) -> bool {
        true
    }

    #[inline]
    unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller's promise; the inner row is read only if it is there.
        unsafe {
            let ready = ready.filter(|&ready| !T::PER_ROW || T::contains(ready, rows.entity(row)))?;
            Some(T::row(ready, rows, row))
        }
    }
}

// SAFETY: reads what the inner terms read.
unsafe impl<T: ReadOnlyFetch> ReadOnlyFetch for Optional<T> {}

/// `Has<C>`.
#[doc(hidden)]
pub struct HasTerm<C>(PhantomData<fn() -> C>);

// SAFETY: borrows nothing: whether an entity has a component is not changed while a query is alive.
unsafe impl<C: Component> Fetch for HasTerm<C> {
    type State = TermState;
    type Column = ();
    type Ready<'w> = Presence<'w>;
    type Item<'w> = bool;
    type ReadOnly = Self;

    const PER_ROW: bool = false;
    const NAMES_SPARSE: bool = false;

    fn init(store: &mut Store) -> TermState {
        TermState::init::<C>(store)
    }

    fn find(store: &Store) -> Option<TermState> {
        TermState::find::<C>(store)
    }

    fn describe(store: &Store) -> Term {
        Term::one::<C>(store, "Has<", ">", Demand::Nothing)
    }

    fn access(_: &TermState, _: &mut FilteredAccess) {}

    fn required_sparse(_: &TermState, _: &mut dyn FnMut(u32)) {}

    fn column(_: &TermState, _: &Table) -> Option<()> {
        Some(())
    }

    #[inline]
    unsafe fn ready<'w>(cell: Cell<'w>, state: &TermState, (): (), table: &'w Table) -> Presence<'w> {
        Presence::new::<C>(cell, *state, table)
    }

    #[inline]
    fn contains(_: Presence<'_>, _: Entity) -> bool {
        true
    }

    #[inline]
    unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
        // SAFETY: the caller promises that the row exists.
        ready.of(unsafe { rows.entity(row) })
    }
}

// SAFETY: only reads.
unsafe impl<C: Component> ReadOnlyFetch for HasTerm<C> {}

/// The largest of several sizes.
const fn largest(sizes: &[usize]) -> usize {
    match sizes {
        [] => 0,
        [size, others @ ..] => {
            let other = largest(others);
            if *size > other { *size } else { other }
        }
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        // SAFETY: borrows and demands what its members do.
        unsafe impl<$($T: Fetch),*> Fetch for ($($T,)*) {
            type State = ($($T::State,)*);
            type Column = ($($T::Column,)*);
            type Ready<'w> = ($($T::Ready<'w>,)*);
            type Item<'w> = ($($T::Item<'w>,)*);
            type ReadOnly = ($($T::ReadOnly,)*);

            const PER_ROW: bool = false $(|| $T::PER_ROW)*;
            const NAMES_SPARSE: bool = false $(|| $T::NAMES_SPARSE)*;
            const WIDEST: usize = largest(&[$($T::WIDEST),*]);
            const ACCESS: ConstAccess = ConstAccess::Terms(&[$($T::ACCESS),*]);

            fn init(store: &mut Store) -> Self::State {
                ($($T::init(store),)*)
            }

            fn find(store: &Store) -> Option<Self::State> {
                Some(($($T::find(store)?,)*))
            }

            fn describe(store: &Store) -> Term {
                Term::all(alloc::vec![$($T::describe(store)),*])
            }

            fn access(state: &Self::State, access: &mut FilteredAccess) {
                $($T::access(&state.$at, access);)*
            }

            fn required_sparse(state: &Self::State, each: &mut dyn FnMut(u32)) {
                $($T::required_sparse(&state.$at, each);)*
            }

            fn column(state: &Self::State, table: &Table) -> Option<Self::Column> {
                Some(($($T::column(&state.$at, table)?,)*))
            }

            #[inline]
            unsafe fn ready<'w>(
                cell: Cell<'w>,
                state: &Self::State,
                column: Self::Column,
                table: &'w Table,
            ) -> Self::Ready<'w> {
                // SAFETY: the caller's promise, member by member.
                unsafe { ($($T::ready(cell, &state.$at, column.$at, table),)*) }
            }

            #[inline]
            fn contains(ready: Self::Ready<'_>, entity: Entity) -> bool {
                true $(&& (!$T::PER_ROW || $T::contains(ready.$at, entity)))*
            }

            #[inline]
            unsafe fn row<'w>(ready: Self::Ready<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
                // SAFETY: the caller's promise, member by member.
                unsafe { ($($T::row(ready.$at, rows, row),)*) }
            }
        }

        // SAFETY: reads what its members read.
        unsafe impl<$($T: ReadOnlyFetch),*> ReadOnlyFetch for ($($T,)*) {}
    };
}

all_tuples!(tuples);

// SAFETY: borrows and demands nothing.
unsafe impl Fetch for () {
    type State = ();
    type Column = ();
    type Ready<'w> = ();
    type Item<'w> = ();
    type ReadOnly = Self;

    const PER_ROW: bool = false;
    const NAMES_SPARSE: bool = false;

    fn init(_: &mut Store) {}

    fn find(_: &Store) -> Option<()> {
        Some(())
    }

    fn describe(_: &Store) -> Term {
        Term::all(Vec::new())
    }

    fn access((): &(), _: &mut FilteredAccess) {}

    fn required_sparse((): &(), _: &mut dyn FnMut(u32)) {}

    fn column((): &(), _: &Table) -> Option<()> {
        Some(())
    }

    unsafe fn ready<'w>(_: Cell<'w>, (): &(), (): (), _: &'w Table) {}

    fn contains((): (), _: Entity) -> bool {
        true
    }

    unsafe fn row<'w>((): Self::Ready<'w>, _: Rows, _: usize) -> Self::Item<'w> {}
}

// SAFETY: reads nothing.
unsafe impl ReadOnlyFetch for () {}
