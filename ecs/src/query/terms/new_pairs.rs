//! Filters on pairs: `Added` and `Changed` of `Pairs<R>` and `PairsTo<R>`.
//!
//! Tests: tests/relationships/pairs/changes.rs

use core::marker::PhantomData;

use super::changed::{Added, Changed};
use super::pairs::{Pairs, PairsTo};
use crate::access::term::{ConstTerm, Group, Term, Usage};
use crate::entity::Entity;
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::relations::relation::{ErasedPairs as _, PairSource, PairStorage, PairTarget, Relation};
use crate::storage::table::Table;
use crate::storage::tick::RunTicks;
use crate::storage::tracking::TickKind;
use crate::structure::cell::StoreCell;

/// Filter on the pairs whose source is the entity.
#[doc(hidden)]
pub struct NewPairs<R, const ADDED: bool>(PhantomData<fn() -> R>);

/// Filter on the pairs whose target is the entity.
#[doc(hidden)]
pub struct NewPairsTo<R, const ADDED: bool>(PhantomData<fn() -> R>);

/// The pairs of a relation, while a table is visited.
#[doc(hidden)]
pub struct AskedPairs<'w, R> {
    /// `None` if the relation is not registered.
    pairs: Option<&'w PairStorage<R>>,
    run_ticks: RunTicks,
}

impl_copy! { [R] AskedPairs<'_, R>; }

impl<R: Relation> QueryFilter for Added<Pairs<R>> {
    type Terms = NewPairs<R, true>;
}

impl<R: Relation> QueryFilter for Changed<Pairs<R>> {
    type Terms = NewPairs<R, false>;
}

impl<R: Relation> QueryFilter for Added<PairsTo<R>> {
    type Terms = NewPairsTo<R, true>;
}

impl<R: Relation> QueryFilter for Changed<PairsTo<R>> {
    type Terms = NewPairsTo<R, false>;
}

/// Returns the usage of the filter's term.
const fn usage(added: bool) -> Usage {
    if added { Usage::AddedPairs } else { Usage::ChangedPairs }
}

/// Implements both filters.
macro_rules! filters {
    ($($Terms:ident => $end:literal, $term:expr;)*) => { $(
        // SAFETY: an entity has the component that the term demands if and only if it has pairs. The filter reads nothing but ticks
        // of pairs, by atomic operations.
        unsafe impl<R: Relation, const ADDED: bool> FilterTerms for $Terms<R, ADDED> {
            type State = ();
            type TableFetch<'w> = AskedPairs<'w, R>;

            const TERM: ConstTerm = $term;

            fn state(_: Term<'_>) {}

            #[inline]
            fn visit_table<'w>(cell: StoreCell<'w>, (): &(), _: &'w Table) -> AskedPairs<'w, R> {
                AskedPairs { pairs: cell.store().relations.get::<R>(), run_ticks: cell.run_ticks() }
            }

            #[inline]
            fn contains(ready: AskedPairs<'_, R>, entity: Entity, _: usize) -> bool {
                let which = if ADDED { TickKind::Added } else { TickKind::Changed };
                ready.pairs.is_some_and(|pairs| pairs.has_new($end, entity, which, ready.run_ticks))
            }

            #[inline]
            fn any(ready: AskedPairs<'_, R>) -> bool {
                ready.pairs.is_some()
            }
        }
    )* };
}

filters! {
    NewPairs => 0, ConstTerm::of::<PairSource<R>>(usage(ADDED));
    // The values belong to other entities, the sources, so a nested term reads them.
    NewPairsTo => 1,
        ConstTerm::Group(
            Group::All,
            &[
                ConstTerm::of::<PairTarget<R>>(usage(ADDED)),
                ConstTerm::Nested(&ConstTerm::Group(
                    Group::All,
                    &[ConstTerm::of::<PairSource<R>>(Usage::Read), ConstTerm::Group(Group::All, &[])],
                )),
            ],
        );
}
