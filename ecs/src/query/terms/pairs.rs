//! The pairs of an entity: `Pairs<&R>`, `PairsTo<&R>`.
//!
//! Tests: tests/relationships/pairs/queries.rs

use core::marker::PhantomData;

use super::source::TermState;
use crate::access::term::{ConstTerm, Group, Term, Usage};
use crate::entity::Entity;
use crate::query::data::{DataOf, fetched_items};
use crate::query::fetch::{ContiguousFetch, Fetch, ReadOnlyFetch, Rows};
use crate::query::pairs::{PairAccess, PairData, PairIter};
use crate::relations::relation::{PairSource, PairStorage, PairTarget, Relation};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;

/// In a query: the pairs whose source is the entity. `P` is `&R`, `&mut R` or `Ref<R>` of a relation `R`. The term matches entities
/// that have such pairs, and yields a [`PairIter`]: the target and the value of each pair, in the order in which the pairs were
/// created.
///
/// If the relation is symmetric, the iterator yields all pairs of the entity. Their values cannot be borrowed mutably then, because
/// two entities share each pair.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Relation)]
/// struct Hunting {
///     hunger: u32,
/// }
///
/// fn starve(mut hunters: Query<(Entity, Pairs<&mut Hunting>)>) {
///     for (hunter, pairs) in &mut hunters {
///         for (prey, mut hunting) in pairs {
///             hunting.hunger += 1;
///             println!("{hunter} is after {prey}");
///         }
///     }
/// }
///
/// let mut world = World::new();
/// let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { hunger: 3 }, rabbit);
/// world.run_system_once(starve).unwrap();
/// assert_eq!(world.get_pair::<Hunting>(wolf, rabbit).unwrap().hunger, 4);
/// ```
pub struct Pairs<P>(PhantomData<fn() -> P>);

/// In a query: the pairs whose target is the entity. Like [`Pairs`], but yields the source and the value of each pair, and only
/// reads: `P` is `&R` or `Ref<R>`. The values belong to other entities. Therefore the term does not compile together with
/// `Pairs<&mut R>`, even if filters separate the targets.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Relation)] struct Hunting { hunger: u32 }
///
/// let mut world = World::new();
/// let [wolf, fox, rabbit] = [(); 3].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { hunger: 3 }, rabbit);
/// world.relate(fox, Hunting { hunger: 5 }, rabbit);
/// let mut hunted = world.query::<(Entity, PairsTo<&Hunting>)>();
/// let (entity, hunters) = hunted.single(&world).unwrap();
/// assert_eq!((entity, hunters.map(|(_, hunting)| hunting.hunger).sum()), (rabbit, 8));
/// ```
pub struct PairsTo<P>(PhantomData<fn() -> P>);

/// The term of `Pairs<..>`.
#[doc(hidden)]
pub struct PairTerm<A>(PhantomData<fn() -> A>);

/// The term of `PairsTo<..>`.
#[doc(hidden)]
pub struct PairToTerm<A>(PhantomData<fn() -> A>);

/// The pairs of a relation, while a table is visited.
#[doc(hidden)]
pub struct ReadyPairs<'w, R> {
    cell: StoreCell<'w>,
    /// `None` if the relation is not registered.
    pairs: Option<&'w PairStorage<R>>,
    /// The storage that marks the entities that have pairs.
    marks: Option<&'w SparseStorage>,
}

impl_copy! { [R] ReadyPairs<'_, R>; }

/// Fails to compile if values are borrowed mutably, unless each value belongs to exactly one entity as its source. Filters separate
/// queries by the components of entities, and a value belongs to its source.
const fn check_access<A: PairAccess>(end: usize) {
    assert!(
        !(A::USAGE.writes() && end == 1),
        "the values of pairs are those of their sources: `PairsTo` reads them only, and `Pairs` borrows them mutably"
    );
    assert!(
        !(A::USAGE.writes() && <A::Relation as Relation>::SYMMETRIC),
        "both entities of a pair of a symmetric relation have its value: in a query it can only be read"
    );
}

/// Implements both kinds of pairs.
macro_rules! pairs {
    ($($Pairs:ident => $Terms:ident, $end:literal, $term:expr;)*) => { $(
        impl_debug_as_type_name! { [P] $Pairs<P>; }

        fetched_items! {
            [P: PairData] $Pairs<P> => $Terms<P::Access>:
                PairIter<'w, <P::Access as PairAccess>::Relation, P::Access>,
                DataOf<$Terms<<P::Access as PairAccess>::ReadOnly>>;
        }

        // SAFETY: the component of sources stands for the values of their pairs. The term declares that these are read or written;
        // values of pairs whose target is the entity are declared as read from other entities, as by a nested query. Only values
        // with a single source entity are written, as `check_access` ensures. An entity has the component that the term demands if
        // and only if it has pairs.
        unsafe impl<A: PairAccess> Fetch for $Terms<A> {
            type State = TermState;
            type TableFetch<'w> = ReadyPairs<'w, A::Relation>;
            type Item<'w> = PairIter<'w, A::Relation, A>;
            type ReadOnly = $Terms<A::ReadOnly>;

            const TERM: ConstTerm = {
                check_access::<A>($end);
                $term
            };

            fn state(term: Term<'_>) -> TermState {
                TermState::of(term.members().next().unwrap_or(term))
            }

            match_each_table!();

            #[inline]
            unsafe fn visit_table<'w>(cell: StoreCell<'w>, state: &TermState, (): (), _: &'w Table) -> Self::TableFetch<'w> {
                let pairs = cell.store().relations.get::<A::Relation>();
                ReadyPairs { cell, pairs, marks: state.storage_if_any(cell) }
            }

            #[inline]
            fn contains(ready: Self::TableFetch<'_>, entity: Entity) -> bool {
                // Checking a mark reads one bit per entity; the lists of pairs are much larger.
                ready.marks.is_some_and(|marks| marks.contains(entity.index()))
            }

            #[inline]
            unsafe fn fetch_row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
                // SAFETY: forwarded: the row exists, and the values of its pairs are accessible for 'w.
                unsafe { PairIter::of(ready.pairs, ready.cell, $end, rows.entity(row)) }
            }
        }

        // SAFETY: `A::ReadOnly` is `A`, so `A` is read-only.
        unsafe impl<A: PairAccess<ReadOnly = A>> ReadOnlyFetch for $Terms<A> {}

        // SAFETY: a slice is the item of its only row.
        unsafe impl<A: PairAccess> ContiguousFetch for $Terms<A> {
            type Slice<'w> = PairIter<'w, A::Relation, A>;

            const SINGLE_ROWS: bool = true;

            #[inline(always)]
            unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, _: usize) -> Self::Slice<'w> {
                // SAFETY: forwarded: the row exists, and the values of its pairs are accessible for 'w.
                unsafe { Self::fetch_row::<false>(ready, rows, first) }
            }
        }
    )* };
}

pairs! {
    Pairs => PairTerm, 0, ConstTerm::of::<PairSource<A::Relation>>(A::USAGE);
    PairsTo => PairToTerm, 1,
        ConstTerm::Group(
            Group::All,
            &[
                ConstTerm::of::<PairTarget<A::Relation>>(Usage::With),
                // The data and the filter of the nested term.
                ConstTerm::Nested(&ConstTerm::Group(
                    Group::All,
                    &[ConstTerm::of::<PairSource<A::Relation>>(Usage::Read), ConstTerm::Group(Group::All, &[])],
                )),
            ],
        );
}
