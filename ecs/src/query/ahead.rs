//! Prefetches the slots and the values of the entities of a list.
//!
//! Finding an entity in a large world can miss the cache twice: once for the slot of its id, and once for its values. Both are
//! prefetched while earlier entities of the list are visited. Prefetching reads ids before the iterator yields them. The caller's
//! iterator must not be able to observe this, so prefetching is limited to known iterator types that read a list and have no side
//! effects.
//!
//! Tests: tests/queries/lists.rs

use alloc::vec;
use core::any::TypeId;
use core::hint::cold_path;
use core::iter::{Cloned, Copied};
use core::marker::PhantomData;
use core::{mem, slice};

use super::blocks::{Block, Matched};
use super::cache::CacheOf;
use super::fetch::{Fetch, Rows};
use super::filter::FilterTerms;
use crate::entity::{Entity, Slot, UniqueEntityIter};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::util::prefetch::prefetch;

/// Distance at which slots are prefetched, in entities.
const SLOTS_AHEAD: usize = 24;
/// Distance at which values are prefetched, in entities. It is shorter than [`SLOTS_AHEAD`], so that the slots have arrived in the
/// cache by then.
const VALUES_AHEAD: usize = 12;
/// Minimum number of slots of a world for prefetching. Fewer slots fit into a near cache, and the additional instructions would
/// cost more than they save.
const LEAST_SLOTS: usize = 1 << 16;

/// Returns whether prefetching is worthwhile: the world and the list are long, and the type of the iterator allows reading ids
/// ahead.
#[inline]
pub(super) fn is_worth_it<I: Iterator>(store: &Store, entities: &I) -> bool {
    let is_long = is_list::<I>() && entities.size_hint().0 > SLOTS_AHEAD;
    if is_long {
        cold_path();
    }
    is_long && store.structure.entities.slots().len() >= LEAST_SLOTS
}

/// Prefetches the slot of the entity [`SLOTS_AHEAD`] positions after the next one, and the values of the entity [`VALUES_AHEAD`]
/// positions after it.
#[inline(always)]
pub(super) fn prefetch_row<D: Fetch, F: FilterTerms, I>(matched: Matched<'_, '_, D, F>, entities: &I) {
    let [slot, values] = [SLOTS_AHEAD, VALUES_AHEAD].map(|nth| id_after(entities, nth));
    prefetch_entities::<D, F>(matched.cell().store(), matched.cache(), slot, values);
}

/// Prefetches the slot of the entity `slot`, and the values of the entity `values`. Cold, so that a loop over a short list keeps
/// its values in registers.
#[cold]
#[inline(never)]
fn prefetch_entities<D: Fetch, F: FilterTerms>(
    store: &Store,
    cache: &CacheOf<D, F>,
    slot: Option<Entity>,
    values: Option<Entity>,
) {
    let (cell, slots) = (StoreCell::shared(store), store.structure.entities.slots());
    if let Some(entity) = slot {
        prefetch(slots.as_ptr().wrapping_add(entity.index() as usize));
    }
    if let Some(entity) = values
        && let Some(location) = Slot::find(slots, entity)
        && let Some(found) = cache.match_of(location.table)
        && let Some(table) = store.structure.archetypes.tables.get(found.table)
    {
        // SAFETY: state and column belong to this store and table. Read-only terms do not record a visit of a table.
        let ready = unsafe { <D::ReadOnly as Fetch>::visit_table(cell, &cache.data, found.column, table) };
        <D::ReadOnly as Fetch>::prefetch_row(ready, Rows::of(table), location.row as usize);
    }
}

/// Guesses the row of an entity within one table. Entities that were spawned together have rows in the order of their indexes until
/// they are moved. A guess is checked against the table's entity list. A correct guess avoids reading the slot of the entity, on
/// which the loads of the values would depend.
pub(super) struct RowGuess<'w, D: Fetch, F: FilterTerms> {
    /// All rows of the table.
    pub(super) block: Block<'w, D, F>,
    /// The number to add to the index of an entity to get its row. The addition wraps.
    shift: u32,
}

impl<'w, D: Fetch, F: FilterTerms> RowGuess<'w, D, F> {
    /// Distance at which guessed rows are prefetched, in entities.
    const AHEAD: usize = 16;

    /// Derives the guesses from the table and row of `entity`. Returns `None` if the entity is not alive, or its table does not
    /// match.
    pub(super) fn new(matched: Matched<'w, '_, D, F>, entity: Entity) -> Option<Self> {
        let location = Slot::find(matched.cell().store().structure.entities.slots(), entity)?;
        Some(Self { block: matched.block_of(location.table)?, shift: location.row.wrapping_sub(entity.index()) })
    }

    #[inline(always)]
    fn row(&self, entity: Entity) -> usize {
        entity.index().wrapping_add(self.shift) as usize
    }

    /// Returns the next entity of the list and its guessed row, if the guess is correct.
    #[inline(always)]
    pub(super) fn next<I>(&self, entities: &I) -> Option<(Entity, usize)> {
        let entity = id_after(entities, 0)?;
        let row = self.row(entity);
        // SAFETY: the row is less than the length of the table, which does not change while a block of it exists.
        (row < self.block.end && unsafe { self.block.rows.entity(row) } == entity).then_some((entity, row))
    }

    /// Prefetches the guessed row of the entity [`AHEAD`](Self::AHEAD) positions after the next one.
    #[inline(always)]
    pub(super) fn prefetch_row<I>(&self, entities: &I) {
        if let Some(entity) = id_after(entities, Self::AHEAD) {
            let row = self.row(entity);
            self.block.rows.prefetch_row(row);
            D::prefetch_row(self.block.data, self.block.rows, row);
        }
    }
}

/// A score for how unreliable recent guesses were. Wrong guesses raise it, correct guesses lower it.
#[derive(Default)]
pub(super) struct GuessScore(usize);

impl GuessScore {
    /// One wrong guess outweighs this many correct ones.
    const WRONG: usize = 8;
    /// The maximum score. At this score, guessing pauses.
    const LIMIT: usize = 64;

    /// Returns the number of entities to find by their slots before the next guess.
    #[inline(always)]
    pub(super) fn pause(&self) -> usize {
        if self.0 < Self::LIMIT { 1 } else { 4096 }
    }

    /// Records `right` correct guesses, followed by one wrong guess.
    #[inline(always)]
    pub(super) fn note(&mut self, right: usize) {
        self.0 = (self.0.saturating_sub(right) + Self::WRONG).min(Self::LIMIT);
    }
}

/// Calls the macro `$do` with every iterator type that only reads a list of ids. Each type comes with an expression for the id that
/// the iterator will yield after `nth` other ids.
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

/// Returns whether iterators of this type only read a list of ids.
#[inline(always)]
fn is_list<I>() -> bool {
    macro_rules! is_any {
        ($($List:ty => |$list:ident, $nth:ident| $id:expr),*) => {
            false $(|| id_of_type::<I>() == TypeId::of::<$List>())*
        };
    }
    for_lists!(is_any)
}

/// Returns the id that an iterator will yield after `nth` other ids. Returns `None` if the iterator [is no list](is_list), or if
/// too few ids are left.
#[inline]
fn id_after<I>(entities: &I, nth: usize) -> Option<Entity> {
    macro_rules! of_any {
        ($($List:ty => |$list:ident, $nth:ident| $id:expr),*) => {$(
            if id_of_type::<I>() == TypeId::of::<$List>() {
                // SAFETY: up to lifetimes `I` is this type, which is covariant in its lifetime. The data that it borrows outlives
                // this borrow, and only a copied id is returned.
                let ($list, $nth) = (unsafe { &*(&raw const *entities).cast::<$List>() }, nth);
                return $id;
            }
        )*};
    }
    for_lists!(of_any);
    None
}

/// Returns the id of the type that results if all lifetimes of `T` are replaced by `'static`.
#[inline(always)]
fn id_of_type<T>() -> TypeId {
    trait TypeIdOf {
        fn type_id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> TypeIdOf for PhantomData<T> {
        #[inline(always)]
        fn type_id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let marker = PhantomData::<T>;
    let typed: &dyn TypeIdOf = &marker;
    // SAFETY: only the lifetime bound of the trait object changes. The method reads nothing, and its compiled code does not depend
    // on lifetimes. The reference is not used after this.
    let typed = unsafe { mem::transmute::<&dyn TypeIdOf, &(dyn TypeIdOf + 'static)>(typed) };
    typed.type_id()
}
