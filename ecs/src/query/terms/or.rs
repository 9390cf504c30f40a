//! One of several filters: `Or<(..)>`.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use crate::access::FilteredAccess;
use crate::cell::Cell;
use crate::const_access::ConstAccess;
use crate::entity::Entity;
use crate::query::fetch::{Rows, Sharing};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::query::term::Term;
use crate::store::Store;
use crate::table::Table;

/// Filter: at least one of the filters in a tuple holds, as in `Or<(With<A>, Without<B>)>`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Component)] struct Burning;
/// # let mut world = World::new();
/// world.spawn(Enemy);
/// world.spawn(Burning);
/// world.spawn_empty();
/// let mut dangers = world.query_filtered::<Entity, Or<(With<Enemy>, With<Burning>)>>();
/// assert_eq!(dangers.iter(&world).count(), 2);
/// ```
pub struct Or<F>(PhantomData<fn() -> F>);

impl<F> fmt::Debug for Or<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

/// What `Or` needs to know of a tuple of filters.
///
/// # Safety
///
/// - `any_matches` and `any_contains` are true where those of a member are.
#[doc(hidden)]
pub unsafe trait AnyOfTerms: FilterTerms {
    /// Whether entities of the table can match one of the members.
    fn any_matches(state: &Self::State, table: &Table) -> bool;

    /// Whether an entity matches one of the members.
    fn any_contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool;

    /// Whether any row of the table may match one of the filters.
    fn any_any(ready: Self::Ready<'_>) -> bool;

    /// As [`FilterTerms::mask`], for rows that match one of the filters.
    ///
    /// # Safety
    ///
    /// - As there.
    unsafe fn any_mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64;
}

impl<F: QueryFilter<Terms: AnyOfTerms>> QueryFilter for Or<F> {
    type Terms = Or<F::Terms>;
}

// SAFETY: nothing is said of what matched entities have or lack.
unsafe impl<F: AnyOfTerms> FilterTerms for Or<F> {
    type State = F::State;
    type Ready<'w> = F::Ready<'w>;

    const PER_ROW: bool = F::PER_ROW;
    const NAMES_SPARSE: bool = F::NAMES_SPARSE;
    const ACCESS: ConstAccess = ConstAccess::Optional(&F::ACCESS);

    fn init(store: &mut Store) -> F::State {
        F::init(store)
    }

    fn find(store: &Store) -> Option<F::State> {
        F::find(store)
    }

    fn describe(store: &Store) -> Term {
        Term::any("Or<", ">", F::describe(store))
    }

    fn access(state: &F::State, access: &mut FilteredAccess) {
        let mut inner = FilteredAccess::default();
        F::access(state, &mut inner);
        access.add_borrows_of(&inner);
    }

    fn required_sparse(_: &F::State, _: &mut dyn FnMut(u32)) {}

    fn matches(state: &F::State, table: &Table) -> bool {
        F::any_matches(state, table)
    }

    #[inline]
    fn ready<'w>(cell: Cell<'w>, state: &F::State, table: &'w Table) -> F::Ready<'w> {
        F::ready(cell, state, table)
    }

    #[inline]
    fn contains(ready: F::Ready<'_>, entity: Entity, row: usize) -> bool {
        F::any_contains(ready, entity, row)
    }

    #[inline]
    fn any(ready: F::Ready<'_>) -> bool {
        F::any_any(ready)
    }

    #[inline]
    unsafe fn mask(ready: F::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { F::any_mask(ready, rows, row, count, sharing) }
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        // SAFETY: each is true where that of a member is.
        unsafe impl<$($T: FilterTerms),*> AnyOfTerms for ($($T,)*) {
            fn any_matches(state: &Self::State, table: &Table) -> bool {
                false $(|| $T::matches(&state.$at, table))*
            }

            #[inline]
            fn any_contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool {
                false $(|| $T::contains(ready.$at, entity, row))*
            }

            #[inline]
            fn any_any(ready: Self::Ready<'_>) -> bool {
                false $(|| $T::any(ready.$at))*
            }

            #[inline]
            unsafe fn any_mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                // SAFETY: the caller's promise, member by member.
                unsafe { 0 $(| $T::mask(ready.$at, rows, row, count, sharing))* }
            }
        }
    };
}

all_tuples!(tuples);
