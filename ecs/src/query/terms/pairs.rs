//! The pairs of an entity: `Pairs<&R>`, `PairsTo<&R>`.

use core::marker::PhantomData;

use super::source::TermState;
use crate::cell::StoreCell;
use crate::entity::Entity;
use crate::query::data::{DataOf, fetched_items};
use crate::query::fetch::{ContiguousFetch, Fetch, ReadOnlyFetch, Rows};
use crate::query::pairs::{PairAccess, PairData, PairIter};
use crate::relation::{PairSource, PairStorage, PairTarget, Relation};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::term::{ConstTerm, Group, Term, Usage};

/// In a query: the pairs of which the entity is the source, with `&R`, `&mut R` or `Ref<R>` of a relation `R`. It matches entities that
/// have such pairs, and yields a [`PairIter`]: the target and the value of each, in the order in which they were made.
///
/// If the relation is symmetric it yields all pairs of the entity, and cannot borrow their values mutably: two entities have each of them.
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

/// In a query: the pairs of which the entity is the target. As [`Pairs`], with the source and the value of each; it only reads, so `&R` or
/// `Ref<R>`. It reads what belongs to other entities: beside `Pairs<&mut R>` it does not compile, whatever filters say of the targets.
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

/// `Pairs<..>`.
#[doc(hidden)]
pub struct PairTerm<A>(PhantomData<fn() -> A>);

/// `PairsTo<..>`.
#[doc(hidden)]
pub struct PairToTerm<A>(PhantomData<fn() -> A>);

/// The pairs, while a table is visited.
#[doc(hidden)]
pub struct ReadyPairs<'w, R> {
    cell: StoreCell<'w>,
    /// None if the world has never met the relation.
    pairs: Option<&'w PairStorage<R>>,
    /// Which entities have any.
    marks: Option<&'w SparseStorage>,
}

impl_copy! { [R] ReadyPairs<'_, R>; }

/// Fails to compile if values are borrowed mutably that are not those of the pairs of one entity alone, as a source: filters keep
/// queries apart by what entities have, and a value is that of its source.
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

/// What both kinds of pairs have in common.
macro_rules! pairs {
    ($($Pairs:ident => $Terms:ident, $end:literal, $term:expr;)*) => { $(
        impl_debug_as_type_name! { [P] $Pairs<P>; }

        fetched_items! {
            [P: PairData] $Pairs<P> => $Terms<P::Access>:
                PairIter<'w, <P::Access as PairAccess>::Relation, P::Access>,
                DataOf<$Terms<<P::Access as PairAccess>::ReadOnly>>;
        }

        // SAFETY: the component of sources stands for the values of their pairs. The term says that these are read, or written, of the
        // entity; those of which it is the target are read of other entities, as by a nested query. Only values that no other entity is
        // the source of are written, as `check_access` ensures. An entity has the component that the term demands if and only if it has
        // pairs.
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
                // Marks are a bit for each entity, lists many bytes.
                ready.marks.is_some_and(|marks| marks.contains(entity.index()))
            }

            #[inline]
            unsafe fn row<'w, const RECORDED: bool>(ready: Self::TableFetch<'w>, rows: Rows, row: usize) -> Self::Item<'w> {
                // SAFETY: the caller promises that the row exists, and that the values of its pairs are accessible for 'w.
                unsafe { PairIter::of(ready.pairs, ready.cell, $end, rows.entity(row)) }
            }
        }

        // SAFETY: only reads.
        unsafe impl<A: PairAccess<ReadOnly = A>> ReadOnlyFetch for $Terms<A> {}

        // SAFETY: the pairs of the row.
        unsafe impl<A: PairAccess> ContiguousFetch for $Terms<A> {
            type Slice<'w> = PairIter<'w, A::Relation, A>;

            const SINGLE_ROWS: bool = true;

            #[inline(always)]
            unsafe fn slice<'w>(ready: Self::TableFetch<'w>, rows: Rows, first: usize, _: usize) -> Self::Slice<'w> {
                // SAFETY: the caller's promise.
                unsafe { Self::row::<false>(ready, rows, first) }
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
                // Its data, and a filter.
                ConstTerm::Nested(&ConstTerm::Group(
                    Group::All,
                    &[ConstTerm::of::<PairSource<A::Relation>>(Usage::Read), ConstTerm::Group(Group::All, &[])],
                )),
            ],
        );
}
