//! Having the processor fetch what a list of entities leads to, before it is needed.
//!
//! Finding an entity of a large world waits for memory twice: for the slot of its id, and for its values. Both are
//! fetched while entities before it in the list are looked at. For this ids are read ahead of their turn, which the caller's
//! iterator must not notice: it is done for iterators of a known type alone, which read a list and do nothing else.

use alloc::vec;
use core::any::TypeId;
use core::iter::{Cloned, Copied};
use core::marker::PhantomData;
use core::{mem, slice};

use super::blocks::{Block, Matched};
use super::fetch::{Fetch, Rows};
use super::filter::FilterTerms;
use crate::cell::StoreCell;
use crate::entity::{Entity, Slot, UniqueEntityIter};
use crate::prefetch::prefetch;

/// How far ahead slots are fetched, as a number of entities.
const SLOTS_AHEAD: usize = 24;
/// How far ahead values are fetched, whose slots have come meanwhile.
const VALUES_AHEAD: usize = 12;
/// With fewer slots than this, entities are in a cache that is so near that the additional instructions cost more.
const LEAST_SLOTS: usize = 1 << 16;

/// Whether it is worth fetching ahead for a list of ids: there are many entities, and ids can be read ahead.
#[inline]
pub(super) fn is_worth_it<I>(cell: StoreCell<'_>) -> bool {
    cell.store().structure.entities.slots().len() >= LEAST_SLOTS && is_list::<I>()
}

/// Fetches what the entities lead to that come a while after the next one.
#[inline(always)]
pub(super) fn fetch_ahead<D: Fetch, F: FilterTerms, I>(matched: Matched<'_, '_, D, F>, entities: &I) {
    let (cell, cache) = (matched.cell(), matched.cache());
    let slots = cell.store().structure.entities.slots();
    if let Some(entity) = id_ahead(entities, SLOTS_AHEAD) {
        prefetch(slots.as_ptr().wrapping_add(entity.index() as usize));
    }
    if let Some(entity) = id_ahead(entities, VALUES_AHEAD)
        && let Some(location) = Slot::find(slots, entity)
        && let Some(found) = cache.match_of(location.table)
        && let Some(table) = cell.store().structure.archetypes.tables.get(found.table)
    {
        // SAFETY: state and column are those of this store and table. The terms that only read note no visit of a table.
        let ready = unsafe { <D::ReadOnly as Fetch>::visit_table(cell, &cache.data, found.column, table) };
        <D::ReadOnly as Fetch>::fetch_ahead(ready, Rows::of(table), location.row as usize);
    }
}

/// Guesses of rows in one table: entities that were spawned together have rows in the order of their indexes, as long as they stay where
/// they are. A guess is checked in the list of the table's entities. If it is right no slot is read, for which the values would wait.
pub(super) struct Guess<'w, D: Fetch, F: FilterTerms> {
    /// All rows of the table.
    pub(super) block: Block<'w, D, F>,
    /// The row of an entity, without its index.
    shift: u32,
}

impl<'w, D: Fetch, F: FilterTerms> Guess<'w, D, F> {
    /// How far ahead what is guessed is fetched, as a number of entities.
    const AHEAD: usize = 16;

    /// Guesses by the row of an entity, in a block of all rows of its table.
    #[inline(always)]
    pub(super) fn new(block: Block<'w, D, F>, row: usize, entity: Entity) -> Self {
        Self { block, shift: (row as u32).wrapping_sub(entity.index()) }
    }

    #[inline(always)]
    fn row(&self, entity: Entity) -> usize {
        entity.index().wrapping_add(self.shift) as usize
    }

    /// The next entity of a list and its row, if that is guessed.
    #[inline(always)]
    pub(super) fn next<I>(&self, entities: &I) -> Option<(Entity, usize)> {
        let entity = id_ahead(entities, 0)?;
        let row = self.row(entity);
        // SAFETY: the row is one of the table, which does not change as long as there is a block of it.
        (row < self.block.end && unsafe { self.block.rows.entity(row) } == entity).then_some((entity, row))
    }

    /// Fetches what entities lead to that come a while after the next one.
    #[inline(always)]
    pub(super) fn fetch_ahead<I>(&self, entities: &I) {
        if let Some(entity) = id_ahead(entities, Self::AHEAD) {
            let row = self.row(entity);
            self.block.rows.fetch_ahead(row);
            D::fetch_ahead(self.block.data, self.block.rows, row);
        }
    }
}

/// How much guesses can be trusted.
#[derive(Default)]
pub(super) struct Doubt(usize);

impl Doubt {
    /// A guess that is wrong outweighs so many that are right.
    const WRONG: usize = 8;
    /// From how many on nothing is guessed for a while.
    const LIMIT: usize = 64;

    /// How many entities are to be found by their slots before the next guess.
    #[inline(always)]
    pub(super) fn pause(&self) -> usize {
        if self.0 < Self::LIMIT { 1 } else { 4096 }
    }

    /// Notes that so many guesses were right, and one wrong.
    #[inline(always)]
    pub(super) fn note(&mut self, right: usize) {
        self.0 = (self.0.saturating_sub(right) + Self::WRONG).min(Self::LIMIT);
    }
}

/// Does something for each type of iterator that reads a list of ids and does nothing else: with the id that it will yield after `nth`
/// others.
macro_rules! for_lists {
    ($do:ident) => {
        $do! {
            slice::Iter<'static, Entity> => |list, nth| list.as_slice().get(nth).copied(),
            Copied<slice::Iter<'static, Entity>> => |list, nth| list.clone().nth(nth),
            Cloned<slice::Iter<'static, Entity>> => |list, nth| list.clone().nth(nth),
            vec::IntoIter<Entity> => |list, nth| list.as_slice().get(nth).copied(),
            UniqueEntityIter<slice::Iter<'static, Entity>> => |list, nth| list.inner().as_slice().get(nth).copied(),
            UniqueEntityIter<Copied<slice::Iter<'static, Entity>>> => |list, nth| list.inner().clone().nth(nth),
            UniqueEntityIter<vec::IntoIter<Entity>> => |list, nth| list.inner().as_slice().get(nth).copied()
        }
    };
}

/// Whether an iterator reads a list of ids and does nothing else.
#[inline(always)]
fn is_list<I>() -> bool {
    macro_rules! is_any {
        ($($List:ty => |$list:ident, $nth:ident| $id:expr),*) => {
            false $(|| id_of_type::<I>() == TypeId::of::<$List>())*
        };
    }
    for_lists!(is_any)
}

/// The id that an iterator will yield after `nth` others, if it [is a list](is_list) and has one.
#[inline]
fn id_ahead<I>(entities: &I, nth: usize) -> Option<Entity> {
    macro_rules! of_any {
        ($($List:ty => |$list:ident, $nth:ident| $id:expr),*) => {$(
            if id_of_type::<I>() == TypeId::of::<$List>() {
                // SAFETY: but for lifetimes `I` is this type, which is covariant in its lifetime. What it borrows outlives
                // the borrow of it, and only a copied id is returned.
                let ($list, $nth) = (unsafe { &*(&raw const *entities).cast::<$List>() }, nth);
                return $id;
            }
        )*};
    }
    for_lists!(of_any);
    None
}

/// The id that a type has if each of its lifetimes is `'static`.
#[inline(always)]
fn id_of_type<T>() -> TypeId {
    trait Typed {
        fn type_id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> Typed for PhantomData<T> {
        #[inline(always)]
        fn type_id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let marker = PhantomData::<T>;
    let typed: &dyn Typed = &marker;
    // SAFETY: only the bound of the trait object's lifetime changes, which no code exists for: the method reads nothing, and
    // lifetimes are erased from what it is compiled to. The reference is used up here.
    let typed = unsafe { mem::transmute::<&dyn Typed, &(dyn Typed + 'static)>(typed) };
    typed.type_id()
}
