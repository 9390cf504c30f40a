//! One of several filters: `Or<(..)>`.
//!
//! Tests: tests/queries/filters.rs

use core::marker::PhantomData;

use crate::access::term::{ConstTerm, Group, Term};
use crate::entity::Entity;
use crate::query::fetch::{Rows, Sharing};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;

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

impl_debug_as_type_name! { [F] Or<F>; }

/// The members of an [`Or`]: a tuple of filters, or a single struct with `#[derive(QueryFilter)]`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter: write `With<T>` or `Without<T>` of a component `T`, or a tuple of at most 16 filters",
    label = "not a filter",
    note = "a filter is `With<T>`, `Without<T>`, `Added<T>` or `Changed<T>` of a component `T`, `Added<Pairs<R>>` or \
            `Changed<Pairs<R>>` of a relation `R`, `Spawned`, `Or<(..)>`, a tuple of these, or a struct with `#[derive(QueryFilter)]`",
    note = "a larger tuple contains further tuples, `((F, G), (H, I))`, and in `Or` further `Or`s: `Or<(Or<(F, G)>, Or<(H, I)>)>`"
)]
pub trait AnyOfTerms {
    /// The terms that evaluate the `Or`.
    type Terms: FilterTerms;
}

impl<F: AnyOfTerms> QueryFilter for Or<F> {
    type Terms = F::Terms;
}

macro_rules! small {
    ($($T:ident $at:tt)*) => {
        impl<$($T: QueryFilter),*> AnyOfTerms for ($($T,)*) {
            type Terms = Or<($($T::Terms,)*)>;
        }

        // SAFETY: a matched entity has and lacks what one of the members says: `contains` is true only if `contains` of a member
        // is, and a table whose rows are not checked is matched by a member.
        unsafe impl<$($T: FilterTerms),*> FilterTerms for Or<($($T,)*)> {
            type State = ($($T::State,)*);
            type TableFetch<'w> = ($($T::TableFetch<'w>,)*);

            const TERM: ConstTerm = ConstTerm::Group(Group::Or, &[$($T::TERM),*]);

            fn state(term: Term<'_>) -> Self::State {
                <($($T,)*) as FilterTerms>::state(term)
            }

            #[inline]
            fn visit_table<'w>(cell: StoreCell<'w>, state: &Self::State, table: &'w Table) -> Self::TableFetch<'w> {
                <($($T,)*) as FilterTerms>::visit_table(cell, state, table)
            }

            #[inline]
            fn contains(ready: Self::TableFetch<'_>, entity: Entity, row: usize) -> bool {
                false $(|| $T::contains(ready.$at, entity, row))*
            }

            #[inline]
            fn any(ready: Self::TableFetch<'_>) -> bool {
                false $(|| $T::any(ready.$at))*
            }

            #[inline]
            unsafe fn mask(ready: Self::TableFetch<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                // SAFETY: forwarded for each member: the rows belong to the table, and no other thread changes them during the call
                // unless the table is shared.
                unsafe { 0 $(| $T::mask(ready.$at, rows, row, count, sharing))* }
            }
        }
    };
}

small_tuples!(small);

/// A tuple with more members is an `Or` of `Or`s.
macro_rules! large {
    ($([$($T:ident $at:tt)*])*) => {
        impl<$($($T: QueryFilter),*),*> AnyOfTerms for ($($($T,)*)*) {
            type Terms = Or<($(Or<($($T::Terms,)*)>,)*)>;
        }
    };
}

large_tuples!(large);
