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

use super::cache::CacheOf;
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
    cell.store().entities.slots().len() >= LEAST_SLOTS && is_list::<I>()
}

/// Fetches what the entities lead to that come a while after the next one.
///
/// # Safety
///
/// - The cache belongs to the cell's store and is up to date.
#[inline(always)]
pub(super) unsafe fn fetch_ahead<D: Fetch, F: FilterTerms, I>(
    cell: StoreCell<'_>,
    cache: &CacheOf<D, F>,
    entities: &I,
) {
    let slots = cell.store().entities.slots();
    if let Some(entity) = id_ahead(entities, SLOTS_AHEAD) {
        prefetch(slots.as_ptr().wrapping_add(entity.index() as usize));
    }
    if let Some(entity) = id_ahead(entities, VALUES_AHEAD)
        && let Some(location) = Slot::find(slots, entity)
        && let Some(found) = cache.match_of(location.table)
    {
        // SAFETY: the cache is up to date, so its matches are tables of the store.
        let table = unsafe { cell.store().archetypes.tables.get_unchecked(found.table) };
        // SAFETY: state and column are those of this store and table. The terms that only read note no visit of a table.
        let ready = unsafe { <D::ReadOnly as Fetch>::ready(cell, &cache.data, found.column, table) };
        <D::ReadOnly as Fetch>::fetch_ahead(ready, Rows::of(table), location.row as usize);
    }
}

/// Does something for each type of iterator that reads a list of ids and does nothing else.
macro_rules! for_lists {
    ($do:ident) => {
        $do! {
            slice::Iter<'static, Entity>,
            Copied<slice::Iter<'static, Entity>>,
            Cloned<slice::Iter<'static, Entity>>,
            vec::IntoIter<Entity>,
            UniqueEntityIter<slice::Iter<'static, Entity>>,
            UniqueEntityIter<Copied<slice::Iter<'static, Entity>>>,
            UniqueEntityIter<vec::IntoIter<Entity>>
        }
    };
}

/// Whether an iterator reads a list of ids and does nothing else.
#[inline(always)]
fn is_list<I>() -> bool {
    macro_rules! is_any {
        ($($List:ty),*) => {
            false $(|| id_of_type::<I>() == TypeId::of::<$List>())*
        };
    }
    for_lists!(is_any)
}

/// The id that an iterator will yield after `nth` others, if it [is a list](is_list) and has one.
#[inline(always)]
fn id_ahead<I>(entities: &I, nth: usize) -> Option<Entity> {
    macro_rules! of_any {
        ($($List:ty),*) => {$(
            if id_of_type::<I>() == TypeId::of::<$List>() {
                // SAFETY: but for lifetimes `I` is this type, which is covariant in its lifetime. What it borrows outlives
                // the borrow of it, and only a copied id is returned.
                let list = unsafe { &*(&raw const *entities).cast::<$List>() };
                return list.id_ahead(nth);
            }
        )*};
    }
    for_lists!(of_any);
    None
}

/// A list of ids that is being read.
trait List {
    /// The id that comes after `nth` others.
    fn id_ahead(&self, nth: usize) -> Option<Entity>;
}

impl List for slice::Iter<'_, Entity> {
    #[inline(always)]
    fn id_ahead(&self, nth: usize) -> Option<Entity> {
        self.as_slice().get(nth).copied()
    }
}

impl List for Copied<slice::Iter<'_, Entity>> {
    #[inline(always)]
    fn id_ahead(&self, nth: usize) -> Option<Entity> {
        self.clone().nth(nth)
    }
}

impl List for Cloned<slice::Iter<'_, Entity>> {
    #[inline(always)]
    fn id_ahead(&self, nth: usize) -> Option<Entity> {
        self.clone().nth(nth)
    }
}

impl List for vec::IntoIter<Entity> {
    #[inline(always)]
    fn id_ahead(&self, nth: usize) -> Option<Entity> {
        self.as_slice().get(nth).copied()
    }
}

impl<I: List> List for UniqueEntityIter<I> {
    #[inline(always)]
    fn id_ahead(&self, nth: usize) -> Option<Entity> {
        self.inner().id_ahead(nth)
    }
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
