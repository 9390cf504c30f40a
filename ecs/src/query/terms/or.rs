//! One of several filters: `Or<(..)>`.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::query::fetch::{Rows, Sharing};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term};
use crate::tuples::Groups;

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
#[doc(alias("WithAny"))]
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
/// - `MEMBERS` and the state belong to the same filters.
/// - `any_contains` is true only where that of a member is.
#[doc(hidden)]
pub unsafe trait AnyOfTerms: FilterTerms {
    /// What the members say.
    const MEMBERS: &'static [ConstTerm];

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

// SAFETY: a matched entity has and lacks what one of the members says: `any_contains` is true only where that of a member is,
// and a table that is not asked row by row is matched by a member.
unsafe impl<F: AnyOfTerms> FilterTerms for Or<F> {
    type State = F::State;
    type Ready<'w> = F::Ready<'w>;

    const TERM: ConstTerm = ConstTerm::Group(Group::Or, F::MEMBERS);

    fn state(term: Term<'_>) -> F::State {
        F::state(term)
    }

    #[inline]
    fn ready<'w>(cell: StoreCell<'w>, state: &F::State, table: &'w Table) -> F::Ready<'w> {
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
            const MEMBERS: &'static [ConstTerm] = &[$($T::TERM),*];

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

small_tuples!(tuples);

/// A tuple of tuples of terms, one of which must hold.
macro_rules! groups {
    ($($T:ident $at:tt)*) => {
        // SAFETY: each is true where that of a member of a group is.
        unsafe impl<$($T: AnyOfTerms),*> AnyOfTerms for Groups<($($T,)*)> {
            const MEMBERS: &'static [ConstTerm] = &[$(ConstTerm::Group(Group::Or, $T::MEMBERS)),*];

            #[inline]
            fn any_contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool {
                false $(|| $T::any_contains(ready.$at, entity, row))*
            }

            #[inline]
            fn any_any(ready: Self::Ready<'_>) -> bool {
                false $(|| $T::any_any(ready.$at))*
            }

            #[inline]
            unsafe fn any_mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                // SAFETY: the caller's promise, member by member.
                unsafe { 0 $(| $T::any_mask(ready.$at, rows, row, count, sharing))* }
            }
        }
    };
}

small_tuples!(groups);
