//! Iteration over a list of entities.
//!
//! Tests: tests/queries/lists.rs, tests/queries/sorting.rs

use alloc::vec::{self, Vec};
use core::any::type_name;
use core::borrow::Borrow;
use core::iter::FusedIterator;

use super::ahead::{GuessScore, RowGuess, is_worth_it, prefetch_row};
use super::cache::QueryState;
use super::data::{QueryData, ReadOnlyQueryData};
use super::error::QueryEntityError;
use super::fetch::{Fetch, ReadOnlyFetch};
use super::filter::{FilterTerms as _, QueryFilter};
use super::find::why_not;
use super::handle::Query;
use super::matching;
use crate::entity::{Entity, EntitySetIterator, UniqueEntityIter};
use crate::structure::store::Store;

/// Iterates over a list of entities. Yields the item of each entity, or an error if the query does not match the entity.
/// [`matched`](Self::matched) skips entities that do not match.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let stranger = world.spawn_empty().id();
/// let mut query = world.query::<&Health>();
/// let found: Vec<Option<u32>> =
///     query.iter_many(&world, [b, stranger, a]).map(|found| Some(found.ok()?.0)).collect();
/// assert_eq!(found, [Some(2), None, Some(1)]);
/// ```
pub struct QueryManyIter<'w, 's, D: QueryData, F: QueryFilter, I> {
    query: Query<'w, 's, D, F>,
    entities: I,
    /// Whether the slots and values of later entities are prefetched.
    ahead: bool,
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>> QueryManyIter<'w, 's, D, F, I> {
    /// Creates an iterator over the items of these entities.
    #[inline]
    pub(super) fn new(query: Query<'w, 's, D, F>, entities: I) -> Self {
        let ahead = is_worth_it(query.matched().cell().store(), &entities);
        Self { query, entities, ahead }
    }

    #[inline(always)]
    fn next_entity(&mut self) -> Option<Entity> {
        if self.ahead {
            prefetch_row(self.query.matched(), &self.entities);
        }
        Some(*self.entities.next()?.borrow())
    }

    #[inline(always)]
    fn next_entity_back(&mut self) -> Option<Entity>
    where
        I: DoubleEndedIterator,
    {
        Some(*self.entities.next_back()?.borrow())
    }

    /// Iterates over the items of the entities that match; others are skipped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [a, b] = [world.spawn(Health(1)).id(), world.spawn_empty().id()];
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter_many(&world, [a, b]).matched().map(|health| health.0).sum::<u32>(), 1);
    /// ```
    #[must_use]
    #[inline]
    pub fn matched(self) -> QueryManyMatchedIter<Self> {
        QueryManyMatchedIter(self)
    }

    /// Iterates over the items. Panics at an entity that does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter_many(&world, ids).unwrapped().map(|health| health.0).sum::<u32>(), 3);
    /// ```
    #[must_use]
    #[inline]
    pub fn unwrapped(self) -> QueryManyUnwrappedIter<Self> {
        QueryManyUnwrappedIter(self)
    }

    /// Returns the next item. The item must be dropped before the next call, since the list may contain an entity twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(1)).id();
    /// let mut query = world.query::<&mut Health>();
    /// let mut many = query.iter_many_mut(&mut world, [entity, entity]);
    /// while let Some(health) = many.fetch_next() {
    ///     health.unwrap().0 *= 10;
    /// }
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 100);
    /// ```
    #[inline]
    pub fn fetch_next(&mut self) -> Option<Result<D::Item<'_, 's>, QueryEntityError>> {
        let entity = self.next_entity()?;
        Some(self.query.get_mut(entity))
    }

    /// Like [`fetch_next`](Self::fetch_next), but from the end of the list.
    pub fn fetch_next_back(&mut self) -> Option<Result<D::Item<'_, 's>, QueryEntityError>>
    where
        I: DoubleEndedIterator,
    {
        let entity = self.next_entity_back()?;
        Some(self.query.get_mut(entity))
    }

    /// Returns an iterator over the entities in another order. `sort` gets the matching entities, each with its item of `L`, and
    /// puts them in order. Entities that `L` does not match are left out.
    ///
    /// # Panics
    ///
    /// If `L` reads a component that the query does not borrow.
    pub(super) fn sorted<L: ReadOnlyQueryData>(
        self,
        sort: impl FnOnce(&mut [(L::Item<'_, '_>, Entity)]),
    ) -> QuerySortedManyIter<'w, 's, D, F> {
        let matched = self.query.matched();
        let keys = covered::<D, F, L>(matched.cell().store());
        // SAFETY: the state is up to date. `L` reads only components that the query borrows, of entities that match. No live item
        // of the query borrows these entities, and the items of `L` are dropped before the query is used again.
        let keys = unsafe { Query::new(matched.cell(), &keys) };
        let read = |entity: I::Item| {
            let entity = *entity.borrow();
            let key = if matched.contains(entity) { keys.get_inner(entity).ok() } else { None };
            key.map(|key| (key, entity))
        };
        let mut found: Vec<_> = self.entities.filter_map(read).collect();
        sort(&mut found);
        let entities: Vec<Entity> = found.into_iter().map(|(_, entity)| entity).collect();
        QueryManyIter::new(self.query, entities.into_iter())
    }
}

impl<'w, 's, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>>
    QueryManyIter<'w, 's, D, F, I>
{
    /// Returns the item of the entity that `next` takes from the list. If the entity does not match, returns the entity as the
    /// error.
    #[inline(always)]
    fn next_found(
        &mut self,
        next: impl FnOnce(&mut Self) -> Option<Entity>,
    ) -> Option<Result<D::Item<'w, 's>, Entity>> {
        let entity = next(self)?;
        Some(self.query.fetch_inner(entity).ok_or(entity))
    }

    /// Implements [`Iterator::fold`].
    #[inline(always)]
    fn fold_found<B>(self, init: B, mut each: impl FnMut(B, Result<D::Item<'w, 's>, Entity>) -> B) -> B {
        if self.ahead {
            return self.fold_ahead(init, each);
        }
        let Self { query, entities, .. } = self;
        entities.fold(init, |result, entity| {
            let entity = *entity.borrow();
            each(result, query.fetch_inner(entity).ok_or(entity))
        })
    }

    /// Implements [`Iterator::fold`] with prefetching. Not inlined, so that the loop over a short list stays small.
    #[inline(never)]
    fn fold_ahead<B>(self, init: B, mut each: impl FnMut(B, Result<D::Item<'w, 's>, Entity>) -> B) -> B {
        let Self { query, mut entities, .. } = self;
        let (mut result, mut doubt) = (init, GuessScore::default());
        loop {
            let mut last = None;
            for _ in 0..doubt.pause() {
                prefetch_row(query.matched(), &entities);
                let Some(entity) = entities.next() else { return result };
                let entity = *entity.borrow();
                result = each(result, query.fetch_inner(entity).ok_or(entity));
                last = Some(entity);
            }
            let left = entities.size_hint().0;
            if let Some(guess) = last.and_then(|last| RowGuess::new(query.matched(), last)) {
                while let Some((entity, row)) = guess.next(&entities) {
                    guess.prefetch_row(&entities);
                    entities.next();
                    let found = guess.block.contains(entity, row).then(|| {
                        // SAFETY: a live entity is in this row; it matches; the access is allowed, as promised to `Query::new`.
                        // The items are read-only, so any number of them may be alive.
                        let got = unsafe { D::Terms::fetch_row::<false>(guess.block.data, guess.block.rows, row) };
                        D::item(got, query.kept())
                    });
                    result = each(result, found.ok_or(entity));
                }
            }
            doubt.note(left - entities.size_hint().0);
        }
    }
}

/// Implements the iterators over a list: one over the items of all its entities, and one over the items of the matching ones.
macro_rules! list_iterators {
    (
        $Iter:ident<D: ($($Data:tt)*), I: ($($List:tt)*) ($($BackList:tt)*)>, [$($list:tt)*]
        { $($fold:tt)* } { $($fold_matched:tt)* }
    ) => {
        impl<'w, 's, D: $($Data)*, F: QueryFilter, I: $($List)*> Iterator for $Iter<'w, 's, D, F, I> {
            type Item = Result<D::Item<'w, 's>, QueryEntityError>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                Some(self.next_found(QueryManyIter::next_entity)?.map_err(|entity| self $($list)* .query.why_not(entity)))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self $($list)* .entities.size_hint()
            }

            $($fold)*
        }

        impl<D: $($Data)*, F: QueryFilter, I: $($BackList)*> DoubleEndedIterator for $Iter<'_, '_, D, F, I> {
            fn next_back(&mut self) -> Option<Self::Item> {
                Some(self.next_found(QueryManyIter::next_entity_back)?.map_err(|entity| self $($list)* .query.why_not(entity)))
            }
        }

        impl<'w, 's, D: $($Data)*, F: QueryFilter, I: $($List)*> Iterator for QueryManyMatchedIter<$Iter<'w, 's, D, F, I>> {
            type Item = D::Item<'w, 's>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                loop {
                    if let Ok(item) = self.0.next_found(QueryManyIter::next_entity)? {
                        return Some(item);
                    }
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (0, self.0.size_hint().1)
            }

            $($fold_matched)*
        }

        impl<D: $($Data)*, F: QueryFilter, I: $($BackList)*> DoubleEndedIterator for QueryManyMatchedIter<$Iter<'_, '_, D, F, I>> {
            fn next_back(&mut self) -> Option<Self::Item> {
                loop {
                    if let Ok(item) = self.0.next_found(QueryManyIter::next_entity_back)? {
                        return Some(item);
                    }
                }
            }
        }
    };
}

list_iterators! {
    QueryManyIter<D: (QueryData<Terms: ReadOnlyFetch>), I: (Iterator<Item: Borrow<Entity>>) (DoubleEndedIterator<Item: Borrow<Entity>>)>, []
    {
        fn fold<B, G: FnMut(B, Self::Item) -> B>(self, init: B, mut each: G) -> B {
            let store = self.query.matched().cell().store();
            self.fold_found(init, |result, found| {
                each(result, found.map_err(|entity| why_not::<D>(store, entity)))
            })
        }
    }
    {
        fn fold<B, G: FnMut(B, Self::Item) -> B>(self, init: B, mut each: G) -> B {
            self.0.fold_found(init, |result, found| match found {
                Ok(item) => each(result, item),
                Err(_) => result,
            })
        }
    }
}

list_iterators! {
    QueryManyUniqueIter<D: (QueryData), I: (EntitySetIterator) (EntitySetIterator + DoubleEndedIterator)>, [.0]
    {} {}
}

impl<D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter, I: ExactSizeIterator<Item: Borrow<Entity>>> ExactSizeIterator
    for QueryManyIter<'_, '_, D, F, I>
{
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator> QueryManyIter<'w, 's, D, F, I> {
    /// Converts into an iterator over a list without duplicates.
    #[inline]
    pub(super) fn into_unique(self) -> QueryManyUniqueIter<'w, 's, D, F, I> {
        QueryManyUniqueIter(self)
    }
}

/// Returns the state of a query of `L`. Checks that this query reads only components that a query of `D` and `F` borrows from the
/// same entity.
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

/// Iterates over the items of a list of entities in sorted order. Returned by `sort` and similar methods of [`QueryManyIter`].
pub type QuerySortedManyIter<'w, 's, D, F> = QueryManyIter<'w, 's, D, F, vec::IntoIter<Entity>>;

/// Iterates over the items of a list of different entities in sorted order. Returned by `sort` and similar methods of
/// [`QueryManyUniqueIter`].
pub type QuerySortedManyUniqueIter<'w, 's, D, F> =
    QueryManyUniqueIter<'w, 's, D, F, UniqueEntityIter<vec::IntoIter<Entity>>>;

/// Iterates over the items of a query in sorted order. Returned by `sort` and similar methods of [`QueryIter`](super::QueryIter).
pub type QuerySortedIter<'w, 's, D, F> = QueryManyMatchedIter<QuerySortedManyUniqueIter<'w, 's, D, F>>;

/// Iterates over a list of entities without duplicates. Yields the item of each entity, or an error if the query does not match the
/// entity. [`matched`](Self::matched) skips entities that do not match.
///
/// Since no entity occurs twice, this type implements `Iterator` even if items are mutable.
///
/// ```
/// use strata_ecs::entity::UniqueEntityVec;
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
/// # let mut world = World::new();
/// let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
/// let set = UniqueEntityVec::try_new(ids).unwrap();
/// let mut state = world.query::<&mut Health>();
/// let mut healths: Vec<Mut<Health>> = state.query_mut(&mut world).iter_many_unique_inner(&set).matched().collect();
/// healths[0].0 += healths[1].0;
/// assert_eq!(world.get(ids[0]), Some(&Health(3)));
/// ```
pub struct QueryManyUniqueIter<'w, 's, D: QueryData, F: QueryFilter, I>(QueryManyIter<'w, 's, D, F, I>);

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator> QueryManyUniqueIter<'w, 's, D, F, I> {
    /// See [`QueryManyIter::sorted`].
    pub(super) fn sorted<L: ReadOnlyQueryData>(
        self,
        sort: impl FnOnce(&mut [(L::Item<'_, '_>, Entity)]),
    ) -> QuerySortedManyUniqueIter<'w, 's, D, F> {
        let QueryManyIter { query, entities, .. } = self.0.sorted::<L>(sort);
        // SAFETY: the entities are a permutation of those of a set, so they are unique.
        let entities = unsafe { UniqueEntityIter::from_iter_unchecked(entities) };
        QueryManyIter::new(query, entities).into_unique()
    }

    /// Returns the next item. Equivalent to [`next`](Iterator::next).
    pub fn fetch_next(&mut self) -> Option<Result<D::Item<'w, 's>, QueryEntityError>> {
        self.next()
    }

    /// Iterates over the items of the entities that match; others are skipped.
    #[must_use]
    #[inline]
    pub fn matched(self) -> QueryManyMatchedIter<Self> {
        QueryManyMatchedIter(self)
    }

    /// Iterates over the items. Panics at an entity that does not match.
    #[must_use]
    #[inline]
    pub fn unwrapped(self) -> QueryManyUnwrappedIter<Self> {
        QueryManyUnwrappedIter(self)
    }

    /// See [`QueryManyIter::next_found`].
    #[inline(always)]
    fn next_found(
        &mut self,
        next: impl FnOnce(&mut QueryManyIter<'w, 's, D, F, I>) -> Option<Entity>,
    ) -> Option<Result<D::Item<'w, 's>, Entity>> {
        let entity = next(&mut self.0)?;
        // SAFETY: no entity occurs twice, so no other item borrows its values.
        Some(unsafe { self.0.query.fetch(entity) }.ok_or(entity))
    }
}

/// Iterates over the items of a [`QueryManyIter`] or [`QueryManyUniqueIter`] and skips entities that do not match. Returned by
/// `matched`.
pub struct QueryManyMatchedIter<I>(I);

impl<'w, 's, D: QueryData, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>>
    QueryManyMatchedIter<QueryManyIter<'w, 's, D, F, I>>
{
    /// Returns the next item. The item must be dropped before the next call, since the list may contain an entity twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let [entity, other] = [world.spawn(Health(1)).id(), world.spawn_empty().id()];
    /// let mut query = world.query::<&mut Health>();
    /// let mut many = query.iter_many_mut(&mut world, [entity, other, entity]).matched();
    /// while let Some(mut health) = many.fetch_next() {
    ///     health.0 *= 10;
    /// }
    /// assert_eq!(world.get::<Health>(entity).unwrap().0, 100);
    /// ```
    #[inline]
    pub fn fetch_next(&mut self) -> Option<D::Item<'_, 's>> {
        loop {
            let entity = self.0.next_entity()?;
            // SAFETY: the item borrows `self`, so only one is alive at a time.
            if let Some(item) = unsafe { self.0.query.fetch(entity) } {
                return Some(item);
            }
        }
    }

    /// Like [`fetch_next`](Self::fetch_next), but from the end of the list.
    pub fn fetch_next_back(&mut self) -> Option<D::Item<'_, 's>>
    where
        I: DoubleEndedIterator,
    {
        loop {
            let entity = self.0.next_entity_back()?;
            // SAFETY: the item borrows `self`, so only one is alive at a time.
            if let Some(item) = unsafe { self.0.query.fetch(entity) } {
                return Some(item);
            }
        }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: EntitySetIterator>
    QueryManyMatchedIter<QueryManyUniqueIter<'w, 's, D, F, I>>
{
    /// Returns the next item. Equivalent to [`next`](Iterator::next).
    pub fn fetch_next(&mut self) -> Option<D::Item<'w, 's>> {
        self.next()
    }
}

/// Iterates over the items of a [`QueryManyIter`] or [`QueryManyUniqueIter`] and panics at an entity that does not match. Returned
/// by `unwrapped`.
pub struct QueryManyUnwrappedIter<I>(I);

/// Returns the item. Panics on an error.
#[track_caller]
fn unwrapped<T>(found: Result<T, QueryEntityError>) -> T {
    match found {
        Ok(found) => found,
        Err(error) => panic!("`unwrapped` met an entity of the list that does not match: {error}"),
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter, I: Iterator<Item: Borrow<Entity>>>
    QueryManyUnwrappedIter<QueryManyIter<'w, 's, D, F, I>>
{
    /// Returns the next item. The item must be dropped before the next call, since the list may contain an entity twice.
    ///
    /// # Panics
    ///
    /// If the entity does not match.
    #[track_caller]
    #[inline]
    pub fn fetch_next(&mut self) -> Option<D::Item<'_, 's>> {
        self.0.fetch_next().map(unwrapped)
    }

    /// Like [`fetch_next`](Self::fetch_next), but from the end of the list.
    ///
    /// # Panics
    ///
    /// If the entity does not match.
    #[track_caller]
    pub fn fetch_next_back(&mut self) -> Option<D::Item<'_, 's>>
    where
        I: DoubleEndedIterator,
    {
        self.0.fetch_next_back().map(unwrapped)
    }
}

impl<T, I: Iterator<Item = Result<T, QueryEntityError>>> Iterator for QueryManyUnwrappedIter<I> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next().map(unwrapped)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn fold<B, G: FnMut(B, T) -> B>(self, init: B, mut each: G) -> B {
        self.0.fold(init, |result, found| each(result, unwrapped(found)))
    }
}

impl<T, I: DoubleEndedIterator<Item = Result<T, QueryEntityError>>> DoubleEndedIterator for QueryManyUnwrappedIter<I> {
    fn next_back(&mut self) -> Option<T> {
        self.0.next_back().map(unwrapped)
    }
}

impl<D: QueryData, F: QueryFilter, I: EntitySetIterator + ExactSizeIterator> ExactSizeIterator
    for QueryManyUniqueIter<'_, '_, D, F, I>
{
}

impl<D: QueryData, F: QueryFilter, I: EntitySetIterator + FusedIterator> FusedIterator
    for QueryManyUniqueIter<'_, '_, D, F, I>
{
}

impl<D: QueryData, F: QueryFilter, I: EntitySetIterator + FusedIterator> FusedIterator
    for QueryManyMatchedIter<QueryManyUniqueIter<'_, '_, D, F, I>>
{
}

impl_debug_of_fields! {
    [D: QueryData, F: QueryFilter, I] QueryManyIter<'_, '_, D, F, I> {}
    [D: QueryData, F: QueryFilter, I] QueryManyUniqueIter<'_, '_, D, F, I> {}
    [I] QueryManyMatchedIter<I> {}
    [I] QueryManyUnwrappedIter<I> {}
}
