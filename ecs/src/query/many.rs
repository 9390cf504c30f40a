//! Going through a list of entities, and through combinations of matched ones.

use alloc::vec::{self, Vec};
use core::any::type_name;
use core::borrow::Borrow;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::{array, fmt};

use super::ahead::{fetch_ahead, is_worth_it};
use super::blocks::{Block, BlockIter, per_row};
use super::cache::{Cache, CacheOf, Match, QueryState};
use super::data::{QueryData, ReadOnlyQueryData};
use super::fetch::{Fetch, ReadOnlyFetch};
use super::filter::{FilterTerms, QueryFilter};
use super::matching;
use super::matching_rows::MatchingRows;
use crate::cell::StoreCell;
use crate::entity::{Entity, EntitySetIterator, Slot, TableId, UniqueEntityIter};
use crate::store::Store;

/// What a query yields for one entity, if it matches.
///
/// # Safety
///
/// - The cache belongs to the cell's store and is up to date.
/// - The access of `D` to this entity is allowed, and no other borrow is in its way, for `'w`; and if queries are nested in it, the access
///   of these to all entities.
#[inline]
pub(crate) unsafe fn get<'w, 's, D: QueryData, F: QueryFilter>(
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D::Terms, F::Terms>,
    entity: Entity,
) -> Option<D::Item<'w, 's>> {
    let books = Books::new(cell, cache);
    // SAFETY: the caller's promise; the books are those of the store and the cache.
    unsafe { get_with::<D, F>(cell, cache, books, entity) }
}

/// The lists that lead from an entity to its values: kept at hand, finding an entity reads nothing else but these.
pub(crate) struct Books<'w, 's, C> {
    slots: &'w [Slot],
    by_table: &'s [Option<C>],
    /// As [`Cache::only`]. Here, and not read from the cache, it is in registers in a loop.
    only: (TableId, MaybeUninit<C>),
}

impl<C: Copy> Clone for Books<'_, '_, C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Copy> Copy for Books<'_, '_, C> {}

impl<'w, 's, C: Copy> Books<'w, 's, C> {
    #[inline]
    pub(crate) fn new<D, F>(cell: StoreCell<'w>, cache: &'s Cache<D, C, F>) -> Self {
        Self { slots: cell.store().entities.slots(), by_table: cache.by_table(), only: cache.only() }
    }
}

/// As [`get`], with the lists at hand.
///
/// # Safety
///
/// - As for [`get`]; the books were made from the cell and the cache.
#[inline]
pub(crate) unsafe fn get_with<'w, 's, D: QueryData, F: QueryFilter>(
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D::Terms, F::Terms>,
    books: Books<'_, '_, <D::Terms as Fetch>::Column>,
    entity: Entity,
) -> Option<D::Item<'w, 's>> {
    // SAFETY: the caller's promise.
    let got = unsafe { fetch::<D::Terms, F::Terms>(cell, cache, books, entity) }?;
    Some(D::item(got, Some(&cache.data)))
}

/// As [`get_with`], by the terms alone.
///
/// # Safety
///
/// - As for [`get_with`].
#[inline]
pub(super) unsafe fn fetch<'w, D: Fetch, F: FilterTerms>(
    cell: StoreCell<'w>,
    cache: &CacheOf<D, F>,
    books: Books<'_, '_, D::Column>,
    entity: Entity,
) -> Option<D::Item<'w>> {
    let location = Slot::find(books.slots, entity)?;
    let (only, known) = books.only;
    let column = match location.table == only {
        // SAFETY: a slot names this table, so it is not `TableId::UNUSED`, and what is known of it is initialised.
        true => unsafe { known.assume_init() },
        false => books.by_table.get(location.table.index()).copied().flatten()?,
    };
    let found = Match { table: location.table, column };
    // SAFETY: the match is one of the cache, which belongs to the store.
    let block = unsafe { Block::<D, F>::whole(cell, cache, &found) };
    let row = location.row as usize;
    if !block.contains(entity, row) {
        return None;
    }
    // SAFETY: a live entity is in its row; it matches; the access is allowed.
    Some(unsafe { D::row(block.data, block.rows, row) })
}

/// Finds what a query yields for single entities, one after the other. What was found out of a few tables is kept.
pub(crate) struct Finder<'w, 's, D: QueryData, F: QueryFilter> {
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D::Terms, F::Terms>,
    slots: &'w [Slot],
    /// By the lowest bits of its number: a table, and nothing if the query does not match it.
    known: [Known<'w, D::Terms, F::Terms>; KNOWN],
}

/// A table, and nothing if a query does not match it. An entry is found by shifting the number.
#[repr(align(64))]
struct Known<'w, D: Fetch, F: FilterTerms> {
    table: TableId,
    block: Option<Block<'w, D, F>>,
}

/// How many tables are kept.
const KNOWN: usize = 4;

impl<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> Finder<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    pub(super) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D::Terms, F::Terms>) -> Self {
        Self {
            cell,
            cache,
            slots: cell.store().entities.slots(),
            known: [const { Known { table: TableId::UNUSED, block: None } }; KNOWN],
        }
    }

    /// What the entity has, if it is alive and matches.
    #[inline(always)]
    pub(crate) fn get(&mut self, entity: Entity) -> Option<D::Item<'w, 's>> {
        let location = Slot::find(self.slots, entity)?;
        let at = location.table.index() % KNOWN;
        if self.known[at].table != location.table {
            self.look_at(location.table);
        }
        let block = self.known[at].block.as_ref()?;
        let row = location.row as usize;
        if !block.contains(entity, row) {
            return None;
        }
        // SAFETY: a live entity is in its row, and matches; the access is allowed, as promised to `new`, and only reads.
        let got = unsafe { D::Terms::row(block.data, block.rows, row) };
        Some(D::item(got, Some(&self.cache.data)))
    }

    #[inline(never)]
    fn look_at(&mut self, table: TableId) {
        // SAFETY: the match is one of the cache, which belongs to the store, as promised to `new`.
        let block = self.cache.match_of(table).map(|found| unsafe { Block::whole(self.cell, self.cache, &found) });
        self.known[table.index() % KNOWN] = Known { table, block };
    }
}

/// What a query yields for each entity of a list. Entities that do not match are passed over.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let stranger = world.spawn_empty().id();
/// let mut query = world.query::<&Health>();
/// let found: Vec<u32> = query.iter_many(&world, [b, stranger, a]).map(|health| health.0).collect();
/// assert_eq!(found, [2, 1]);
/// ```
pub struct QueryManyIter<'w, 's, D: QueryData, F: QueryFilter, I> {
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D::Terms, F::Terms>,
    entities: I,
    /// Whether what the entities lead to is fetched ahead.
    ahead: bool,
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>> QueryManyIter<'w, 's, D, F, I> {
    /// The next entity of the list.
    ///
    /// # Safety
    ///
    /// - As for [`QueryManyIter::new`].
    #[inline(always)]
    unsafe fn next_entity(&mut self) -> Option<Entity> {
        if self.ahead {
            // SAFETY: the caller's promise.
            unsafe { fetch_ahead::<D::Terms, F::Terms, I>(self.cell, self.cache, &self.entities) };
        }
        self.entities.next().map(|entity| *entity.borrow())
    }

    /// # Safety
    ///
    /// - The cache belongs to the cell's store and is up to date.
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    pub(crate) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D::Terms, F::Terms>, entities: I) -> Self {
        Self { cell, cache, entities, ahead: is_worth_it::<I>(cell) }
    }

    /// As [`Iterator::fold`] of the entities of the list.
    #[inline(always)]
    fn fold_entities<B>(mut self, init: B, mut each: impl FnMut(B, Entity) -> B) -> B {
        if !self.ahead {
            return self.entities.fold(init, |result, entity| each(result, *entity.borrow()));
        }
        let mut result = init;
        // SAFETY: as promised to `new`.
        while let Some(entity) = unsafe { self.next_entity() } {
            result = each(result, entity);
        }
        result
    }

    /// The iterator as it is: entities that do not match are passed over anyway.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [world.spawn(Health(1)).id(), world.spawn_empty().id()];
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter_many(&world, [a, b]).matched().count(), 1);
    /// ```
    #[must_use]
    pub fn matched(self) -> Self {
        self
    }

    /// The next one. It has to be given up before the one after it, since the list may have an entity twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// let mut query = world.query::<&mut Health>();
    /// let mut many = query.iter_many_mut(&mut world, [entity, entity]);
    /// while let Some(mut health) = many.fetch_next() {
    ///     health.0 *= 10;
    /// }
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 100);
    /// ```
    pub fn fetch_next(&mut self) -> Option<D::Item<'_, 's>> {
        // SAFETY: as promised to `new`.
        while let Some(entity) = unsafe { self.next_entity() } {
            // SAFETY: as promised to `new`; the item borrows `self`, so there is one at a time.
            let item = unsafe { get::<D, F>(self.cell, self.cache, entity) };
            if item.is_some() {
                return item;
            }
        }
        None
    }
}

impl<'w, 's, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>> Iterator
    for QueryManyIter<'w, 's, D, F, I>
{
    type Item = D::Item<'w, 's>;

    fn next(&mut self) -> Option<D::Item<'w, 's>> {
        // SAFETY: as promised to `new`.
        while let Some(entity) = unsafe { self.next_entity() } {
            // SAFETY: as promised to `new`; what only reads may be given out any number of times.
            let item = unsafe { get::<D, F>(self.cell, self.cache, entity) };
            if item.is_some() {
                return item;
            }
        }
        None
    }

    /// Keeps the last table at hand.
    fn fold<B, G: FnMut(B, Self::Item) -> B>(self, init: B, mut each: G) -> B {
        let Self { cell, cache, .. } = self;
        let books = Books::new(cell, cache);
        let mut last: Option<(TableId, Block<'w, D::Terms, F::Terms>)> = None;
        self.fold_entities(init, |result, entity| {
            let Some(location) = Slot::find(books.slots, entity) else { return result };
            let block = match last {
                Some((table, block)) if table == location.table => block,
                _ => {
                    let Some(found) = cache.match_of(location.table) else { return result };
                    // SAFETY: the match is one of the cache, which belongs to the store.
                    let block = unsafe { Block::whole(cell, cache, &found) };
                    last = Some((location.table, block));
                    block
                }
            };
            let row = location.row as usize;
            if !block.contains(entity, row) {
                return result;
            }
            // SAFETY: a live entity is in its row; it matches; the access is allowed, as promised to `new`. What only reads may
            // be given out any number of times.
            each(result, D::item(unsafe { D::Terms::row(block.data, block.rows, row) }, Some(&cache.data)))
        })
    }
}

impl<D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter, I: DoubleEndedIterator<Item: Borrow<Entity>>>
    DoubleEndedIterator for QueryManyIter<'_, '_, D, F, I>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        let Self { cell, cache, entities, .. } = self;
        // SAFETY: as promised to `new`; what only reads may be given out any number of times.
        entities.rev().find_map(|entity| unsafe { get::<D, F>(*cell, cache, *entity.borrow()) })
    }
}

impl<D: QueryData, F: QueryFilter, I: DoubleEndedIterator<Item: Borrow<Entity>>> QueryManyIter<'_, '_, D, F, I> {
    /// As [`fetch_next`](Self::fetch_next), from the end of the list on.
    pub fn fetch_next_back(&mut self) -> Option<D::Item<'_, '_>> {
        let Self { cell, cache, entities, .. } = self;
        // SAFETY: as promised to `new`; the item borrows `self`, so there is one at a time.
        entities.rev().find_map(|entity| unsafe { get::<D, F>(*cell, cache, *entity.borrow()) })
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>> QueryManyIter<'w, 's, D, F, I> {
    /// The same entities in another order: `sort` gets those that match, each with what `L` reads of it. Those that lack
    /// something that `L` reads are left out.
    ///
    /// # Panics
    ///
    /// If `L` reads a component that the query does not borrow.
    pub(super) fn sorted<L: ReadOnlyQueryData>(
        self,
        sort: impl FnOnce(&mut [(L::Item<'_, '_>, Entity)]),
    ) -> QuerySortedManyIter<'w, 's, D, F> {
        let keys = covered::<D, F, L>(self.cell.store());
        let read = |entity: I::Item| {
            let entity = *entity.borrow();
            // SAFETY: as promised to `new`: what the query borrows of the entities that match may be read, and nothing that it
            // has given out borrows these. `L` reads nothing else, and what it has read is given up before the query goes on.
            unsafe {
                let matches = is_match::<D, F>(self.cell, self.cache, entity);
                let key = if matches { get::<L, ()>(self.cell, &keys.cache, entity) } else { None };
                key.map(|key| (key, entity))
            }
        };
        let mut found: Vec<_> = self.entities.filter_map(read).collect();
        sort(&mut found);
        let entities: Vec<Entity> = found.into_iter().map(|(_, entity)| entity).collect();
        // SAFETY: as promised to `new`; `self` is used up.
        unsafe { QueryManyIter::new(self.cell, self.cache, entities.into_iter()) }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator> QueryManyIter<'w, 's, D, F, I> {
    /// The same, which yields no entity twice.
    pub(super) fn into_unique(self) -> QueryManyUniqueIter<'w, 's, D, F, I> {
        QueryManyUniqueIter(self)
    }
}

/// Whether an entity matches.
///
/// # Safety
///
/// - The cache belongs to the cell's store and is up to date.
unsafe fn is_match<D: QueryData, F: QueryFilter>(
    cell: StoreCell<'_>,
    cache: &CacheOf<D::Terms, F::Terms>,
    entity: Entity,
) -> bool {
    let Ok(location) = cell.store().entities.locate(entity) else { return false };
    let Some(found) = cache.match_of(location.table) else { return false };
    // SAFETY: the match is one of the cache, which belongs to the store.
    let block = unsafe { Block::<D::Terms, F::Terms>::whole(cell, cache, &found) };
    block.contains(entity, location.row as usize)
}

/// The query `L`, which reads nothing but what a query of `D` and `F` borrows of the same entity.
#[track_caller]
fn covered<D: QueryData, F: QueryFilter, L: ReadOnlyQueryData>(store: &Store) -> QueryState<L> {
    let borrowed = matching::found(store, &D::Terms::TERM, &F::Terms::TERM).map(|terms| terms.all().access());
    let read = QueryState::<L>::find(store);
    match (borrowed, read) {
        (Some(borrowed), Some(mut read))
            if !L::Terms::FACTS.nests && read.access().first_beyond(&borrowed).is_none() =>
        {
            read.update(store);
            read
        }
        _ => panic!(
            "the query of `{}` cannot be sorted by `{}`, which reads a component that the query does not borrow",
            type_name::<D>(),
            type_name::<L>(),
        ),
    }
}

/// The items of a query in the order of a list, from `sort` and its like on a [`QueryManyIter`].
pub type QuerySortedManyIter<'w, 's, D, F> = QueryManyIter<'w, 's, D, F, vec::IntoIter<Entity>>;

/// The items of a query in the order of a list, from `sort` and its like on a [`QueryIter`](super::QueryIter).
pub type QuerySortedIter<'w, 's, D, F> = QueryManyUniqueIter<'w, 's, D, F, UniqueEntityIter<vec::IntoIter<Entity>>>;

/// What a query yields for each entity of a list that has none twice. Entities that do not match are passed over.
///
/// Since no entity comes twice, this is an iterator also where items can be changed.
///
/// ```
/// use strata_ecs::entity::UniqueEntityVec;
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
/// # let mut world = World::new();
/// let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let set = UniqueEntityVec::try_new(ids).unwrap();
/// let mut state = world.query::<&mut Health>();
/// let mut healths: Vec<Mut<Health>> = state.query_mut(&mut world).iter_many_unique_inner(&set).collect();
/// healths[0].0 += healths[1].0;
/// assert_eq!(world.get(ids[0]), Some(&Health(3)));
/// ```
pub struct QueryManyUniqueIter<'w, 's, D: QueryData, F: QueryFilter, I>(QueryManyIter<'w, 's, D, F, I>);

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator> QueryManyUniqueIter<'w, 's, D, F, I> {
    /// # Safety
    ///
    /// - As for [`QueryManyIter::new`].
    pub(crate) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D::Terms, F::Terms>, entities: I) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { QueryManyIter::new(cell, cache, entities) })
    }

    /// As [`QueryManyIter::sorted`].
    pub(super) fn sorted<L: ReadOnlyQueryData>(
        self,
        sort: impl FnOnce(&mut [(L::Item<'_, '_>, Entity)]),
    ) -> QuerySortedIter<'w, 's, D, F> {
        let QueryManyIter { cell, cache, entities, .. } = self.0.sorted::<L>(sort);
        // SAFETY: as promised to `new`; `self` is used up. The entities are those of the set, in another order.
        unsafe { QueryManyUniqueIter::new(cell, cache, UniqueEntityIter::from_iter_unchecked(entities)) }
    }

    /// The next one, as [`next`](Iterator::next).
    pub fn fetch_next(&mut self) -> Option<D::Item<'w, 's>> {
        self.next()
    }

    /// The iterator as it is: entities that do not match are passed over anyway.
    #[must_use]
    pub fn matched(self) -> Self {
        self
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator> Iterator for QueryManyUniqueIter<'w, 's, D, F, I> {
    type Item = D::Item<'w, 's>;

    fn next(&mut self) -> Option<D::Item<'w, 's>> {
        // SAFETY: as promised to `new`.
        while let Some(entity) = unsafe { self.0.next_entity() } {
            // SAFETY: as promised to `new`; no entity comes twice.
            let item = unsafe { get::<D, F>(self.0.cell, self.0.cache, entity) };
            if item.is_some() {
                return item;
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.0.entities.size_hint().1)
    }
}

impl<D: QueryData, F: QueryFilter, I: EntitySetIterator + DoubleEndedIterator> DoubleEndedIterator
    for QueryManyUniqueIter<'_, '_, D, F, I>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        let QueryManyIter { cell, cache, entities, .. } = &mut self.0;
        // SAFETY: as promised to `new`; no entity comes twice.
        entities.rev().find_map(|entity| unsafe { get::<D, F>(*cell, cache, *entity.borrow()) })
    }
}

impl<D: QueryData, F: QueryFilter, I: EntitySetIterator + FusedIterator> FusedIterator
    for QueryManyUniqueIter<'_, '_, D, F, I>
{
}

impl<D: QueryData, F: QueryFilter, I> fmt::Debug for QueryManyIter<'_, '_, D, F, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryManyIter").finish_non_exhaustive()
    }
}

impl<D: QueryData, F: QueryFilter, I> fmt::Debug for QueryManyUniqueIter<'_, '_, D, F, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryManyUniqueIter").finish_non_exhaustive()
    }
}

/// All ways to choose `K` of the entities that a query matches, without regard to order.
///
/// It remembers where each matched entity is: `O(entities)` memory, 8 bytes each.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// world.spawn_batch([Health(1), Health(2), Health(4)]);
/// let mut query = world.query::<&Health>();
/// let pairs: Vec<u32> = query.iter_combinations(&world).map(|[a, b]| a.0 + b.0).collect();
/// assert_eq!(pairs, [3, 5, 6]);
/// ```
pub struct QueryCombinationIter<'w, 's, D: QueryData, F: QueryFilter, const K: usize> {
    cell: StoreCell<'w>,
    cache: &'s CacheOf<D::Terms, F::Terms>,
    entities: Vec<Entity>,
    /// The next combination, as positions in `entities`; `None` when there are no more.
    next: Option<[usize; K]>,
}

impl<'w, 's, D: QueryData, F: QueryFilter, const K: usize> QueryCombinationIter<'w, 's, D, F, K> {
    /// # Safety
    ///
    /// - As for [`QueryManyIter::new`].
    pub(crate) unsafe fn new(cell: StoreCell<'w>, cache: &'s CacheOf<D::Terms, F::Terms>) -> Self {
        let mut entities = Vec::new();
        // SAFETY: the caller's promise.
        let mut blocks: BlockIter<'_, '_, D::Terms, F::Terms> = unsafe { BlockIter::new(cell, cache) };
        while let Some(block) = blocks.next() {
            // SAFETY: the rows of a block are rows of its table; what the query reads may be read.
            unsafe {
                match per_row::<D::Terms, F::Terms>() && block.all_packed().is_none() {
                    true => MatchingRows::of(&block).fold(&block, (), |(), row| entities.push(block.rows.entity(row))),
                    false => entities.extend_from_slice(block.rows.entities(block.first, block.end - block.first)),
                }
            }
        }
        let next = (K != 0 && K <= entities.len()).then(|| array::from_fn(|position| position));
        Self { cell, cache, entities, next }
    }

    /// The positions of the next combination, and steps to the one after it.
    fn step(&mut self) -> Option<[usize; K]> {
        let current = self.next?;
        let count = self.entities.len();
        // The last position that can still go up; all behind it follow closely.
        let up = (0..K).rev().find(|&position| current[position] < count - (K - position));
        self.next = up.map(|up| {
            array::from_fn(|position| if position < up { current[position] } else { current[up] + 1 + (position - up) })
        });
        Some(current)
    }

    /// # Safety
    ///
    /// - No item that was fetched before borrows one of these entities mutably any more.
    unsafe fn fetch(&self, positions: [usize; K]) -> Option<[D::Item<'w, 's>; K]> {
        let mut items = positions.map(|position| {
            let entity = self.entities[position];
            // SAFETY: as promised to `new`; the positions differ, so do the entities.
            unsafe { get::<D, F>(self.cell, self.cache, entity) }
        });
        if items.iter().any(Option::is_none) {
            return None;
        }
        Some(array::from_fn(|position| match items[position].take() {
            Some(item) => item,
            None => unreachable!("checked above"),
        }))
    }

    /// The next combination. It has to be given up before the one after it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&mut Health>();
    /// let mut pairs = query.iter_combinations_mut(&mut world);
    /// while let Some([mut first, mut second]) = pairs.fetch_next() {
    ///     core::mem::swap(&mut first.0, &mut second.0);
    /// }
    /// assert_eq!(world.get::<Health>(a).unwrap().0, 2);
    /// ```
    pub fn fetch_next(&mut self) -> Option<[D::Item<'_, 's>; K]> {
        loop {
            let positions = self.step()?;
            // SAFETY: the items borrow `self`, so there is one combination at a time.
            let items = unsafe { self.fetch(positions) };
            // One that does not match any more, since the last one was changed, is passed over.
            if items.is_some() {
                return items;
            }
        }
    }
}

impl<'w, 's, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter, const K: usize> Iterator
    for QueryCombinationIter<'w, 's, D, F, K>
{
    type Item = [D::Item<'w, 's>; K];

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let positions = self.step()?;
            // SAFETY: what only reads may be given out any number of times.
            let items = unsafe { self.fetch(positions) };
            if items.is_some() {
                return items;
            }
        }
    }
}
