//! The pairs of an entity, borrowed.
//!
//! A [`ReadPairs`] or [`WritePairs`] proves the access to the values of pairs, so its methods are safe.
//!
//! Tests: tests/relationships/pairs/queries.rs

use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem;

use crate::access::term::Usage;
use crate::entity::Entity;
use crate::query::change::{Mut, Ref, TickPlace, Ticks};
use crate::relations::relation::{ErasedPairs as _, PairLink, PairLinks, PairStorage, Relation};
use crate::storage::tick::RunTicks;
use crate::structure::cell::{ReadCell, StoreCell};
use crate::structure::store::Store;

/// Says how the values of pairs are borrowed: `&R`, `&mut R` or `Ref<R>` of a relation `R`, in [`Pairs`](crate::query::Pairs).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how the values of pairs are borrowed: write `&R`, `&mut R` or `Ref<R>` of a relation `R`",
    label = "not a borrowed relation",
    note = "a relation is a struct with `#[derive(Relation)]`"
)]
pub trait PairData {
    /// The kind of access to a value.
    #[doc(hidden)]
    type Access: PairAccess;
}

/// The access to the value of a pair.
///
/// # Safety
///
/// - `get` changes a value only if `USAGE` writes, and `ReadOnly` does not.
#[doc(hidden)]
pub unsafe trait PairAccess: 'static {
    /// The relation.
    type Relation: Relation;
    /// The item of a pair. It is yielded together with the other entity of the pair.
    type Item<'w>;
    /// The read-only access.
    type ReadOnly: PairAccess<Relation = Self::Relation, ReadOnly = Self::ReadOnly>;

    const USAGE: Usage;

    /// # Safety
    ///
    /// - No other code changes the value for `'w`, or reads it if `USAGE` writes.
    unsafe fn get<'w>(pairs: &'w PairStorage<Self::Relation>, row: usize, cell: StoreCell<'w>) -> Self::Item<'w>;
}

/// Defines the kinds of access to the value of a pair.
macro_rules! pair_accesses {
    ($(
        $(#[$doc:meta])*
        $Access:ident => $Item:ty, $ReadOnly:ty, $usage:ident, |$pairs:ident, $row:ident, $cell:ident| $get:expr;
    )*) => { $(
        $(#[$doc])*
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $Access<R>(PhantomData<fn() -> R>);

        // SAFETY: `USAGE` writes if and only if `get` returns mutable access.
        unsafe impl<R: Relation> PairAccess for $Access<R> {
            type Relation = R;
            type Item<'w> = $Item;
            type ReadOnly = $ReadOnly;

            const USAGE: Usage = Usage::$usage;

            #[inline]
            unsafe fn get<'w>($pairs: &'w PairStorage<R>, $row: usize, $cell: StoreCell<'w>) -> $Item {
                $get
            }
        }
    )* };
}

pair_accesses! {
    /// `&R`.
    ReadPair => &'w R, Self, Read, |pairs, row, _cell| {
        // SAFETY: forwarded: no other code changes the value.
        unsafe { pairs.value(row) }
    };
    /// `Ref<R>`.
    RefPair => Ref<'w, R>, Self, Read, |pairs, row, cell| {
        // SAFETY: forwarded: no other code changes the value.
        let (value, ticks) = unsafe { pairs.get(row) };
        Ref::new(value, Ticks::new(TickPlace::One(ticks), cell.run_ticks()))
    };
    /// `&mut R`.
    WritePair => Mut<'w, R>, ReadPair<R>, Write, |pairs, row, cell| {
        // SAFETY: forwarded: no other code changes or reads the value.
        let (value, ticks) = unsafe { pairs.get_mut(row) };
        Mut::new(value, Ticks::new(TickPlace::One(ticks), cell.run_ticks()))
    };
}

impl<R: Relation> PairData for &R {
    type Access = ReadPair<R>;
}

impl<R: Relation> PairData for Ref<'_, R> {
    type Access = RefPair<R>;
}

impl<R: Relation> PairData for &mut R {
    type Access = WritePair<R>;
}

/// The pairs of a relation, whose values may be read for `'w`.
pub(crate) struct ReadPairs<'w, R> {
    pairs: &'w PairStorage<R>,
}

impl<'w, R: Relation> ReadPairs<'w, R> {
    /// Returns the pairs of a relation in a store, or `None` if the relation is not registered.
    #[inline]
    pub(crate) fn of(cell: ReadCell<'w>) -> Option<Self> {
        Some(Self { pairs: cell.store().relations.get::<R>()? })
    }

    /// Returns the value of a pair.
    #[inline]
    pub(crate) fn get(self, source: Entity, target: Entity) -> Option<&'w R> {
        let row = self.pairs.index().find(source, target)?;
        // SAFETY: the values may be read for 'w.
        Some(unsafe { self.pairs.value(row) })
    }

    /// Returns the pairs whose source (if `end` is 0) or target (if `end` is 1) is the entity.
    #[inline]
    pub(crate) fn of_entity(cell: ReadCell<'w>, end: usize, entity: Entity) -> PairIter<'w, R> {
        let pairs = Self::of(cell).map(|all| all.pairs);
        // SAFETY: all values of the store may be read for 'w.
        unsafe { PairIter::of(pairs, cell.cell(), end, entity) }
    }

    /// Iterates over all pairs, by row.
    pub(crate) fn all(cell: ReadCell<'w>) -> impl ExactSizeIterator<Item = (Entity, &'w R, Entity)> + use<'w, R> {
        let pairs = Self::of(cell).map(|all| all.pairs);
        let ends = pairs.map_or(&[][..], |pairs| pairs.index().ends());
        ends.iter().enumerate().map(move |(row, &[source, target])| match pairs {
            // SAFETY: the values may be read for 'w.
            Some(pairs) => (source, unsafe { pairs.value(row) }, target),
            None => unreachable!("there are rows"),
        })
    }
}

/// The pairs of a relation, with exclusive access to their values for `'w`.
pub(crate) struct WritePairs<'w, R> {
    pairs: &'w mut PairStorage<R>,
    run_ticks: RunTicks,
}

impl<'w, R: Relation> WritePairs<'w, R> {
    /// Returns the pairs of a relation in a store, or `None` if the relation is not registered.
    #[inline]
    pub(crate) fn of(store: &'w mut Store) -> Option<Self> {
        let (run_ticks, number) = (store.run_ticks(), store.relations.number::<R>()?);
        Some(Self { pairs: store.relations.get_mut::<R>(number)?, run_ticks })
    }

    /// Returns the value of a pair.
    #[inline]
    pub(crate) fn into_mut(self, source: Entity, target: Entity) -> Option<Mut<'w, R>> {
        let row = self.pairs.index().find(source, target)?;
        let (value, ticks) = self.pairs.of_owner(row);
        Some(Mut::new(value, Ticks::new(TickPlace::One(ticks), self.run_ticks)))
    }
}

/// Iterates over the pairs of an entity. Yields the other entity of each pair, and its value. Returned by
/// [`Pairs`](crate::query::Pairs) and [`World::pairs_from`](crate::world::World::pairs_from).
pub struct PairIter<'w, R, A = ReadPair<R>> {
    pairs: Option<&'w PairStorage<R>>,
    entity: Entity,
    cell: StoreCell<'w>,
    links: PairLinks<'w>,
    left: usize,
    marker: PhantomData<A>,
}

impl<'w, A: PairAccess> PairIter<'w, A::Relation, A> {
    /// Creates an iterator over the pairs whose source (if `end` is 0) or target (if `end` is 1) is the entity.
    ///
    /// # Safety
    ///
    /// - The pairs belong to the cell's store.
    /// - No other code changes the values of these pairs for `'w`, or reads them if `A` writes.
    #[inline]
    pub(crate) unsafe fn of(
        pairs: Option<&'w PairStorage<A::Relation>>,
        cell: StoreCell<'w>,
        end: usize,
        entity: Entity,
    ) -> Self {
        let (links, left) = match pairs {
            Some(pairs) => pairs.index().lists(end).get_counted(entity),
            None => (PairLinks::default(), 0),
        };
        Self { pairs, entity, cell, links, left, marker: PhantomData }
    }

    /// Returns the same pairs, with the lifetime of this borrow.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> PairIter<'_, A::Relation, A> {
        let Self { pairs, entity, cell, ref links, left, marker } = *self;
        PairIter { pairs, entity, cell, links: links.clone(), left, marker }
    }

    /// Takes all remaining pairs, and returns those that were created with the entity as source. If the relation is symmetric,
    /// these may be only some of the pairs. So iterating over the pairs of all entities this way yields each pair once.
    #[inline]
    pub(crate) fn take_of_source(&mut self) -> impl Iterator<Item = (Entity, A::Item<'w>)> + use<'w, A> {
        let Self { pairs, entity, cell, .. } = *self;
        self.left = 0;
        let links = mem::take(&mut self.links);
        let is_own = move |link: &&PairLink| match pairs {
            Some(pairs) if A::Relation::SYMMETRIC => pairs.index().ends()[link.row as usize][0] == entity,
            _ => true,
        };
        links.all().filter(is_own).map(move |link| match pairs {
            // SAFETY: `of` was promised access to the values of these pairs, and each is yielded once.
            Some(pairs) => (link.other, unsafe { A::get(pairs, link.row as usize, cell) }),
            None => unreachable!("there are pairs"),
        })
    }

    /// Iterates over the other entities of the pairs, without values.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation)] struct Likes;
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// world.relate(a, Likes, b);
    /// world.relate(a, Likes, c);
    /// assert!(world.pairs_from::<Likes>(a).entities().eq([b, c]));
    /// ```
    pub fn entities(self) -> impl Iterator<Item = Entity> + use<'w, A> {
        self.links.all().map(|link| link.other)
    }
}

impl<'w, A: PairAccess> Iterator for PairIter<'w, A::Relation, A> {
    type Item = (Entity, A::Item<'w>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let pairs = self.pairs?;
        let link = self.links.next()?;
        self.left -= 1;
        // SAFETY: `of` was promised access to the values of these pairs, and each is yielded once.
        Some((link.other, unsafe { A::get(pairs, link.row as usize, self.cell) }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<A: PairAccess> ExactSizeIterator for PairIter<'_, A::Relation, A> {}

impl<A: PairAccess> FusedIterator for PairIter<'_, A::Relation, A> {}

impl_debug!([R, A] PairIter<'_, R, A> => |this, f| f.debug_struct("PairIter").field("left", &this.left).finish());
