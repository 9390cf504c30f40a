//! [`Query`]: a query's state beside a borrowed world.

use core::any::type_name;
use core::array;
use core::borrow::Borrow;
use core::fmt;

use super::cache::{CacheOf, QueryState};
use super::data::{QueryData, ReadOnlyQueryData};
use super::error::{QueryEntityError, QuerySingleError};
use super::fetch::{Fetch, ReadOnlyFetch};
use super::filter::QueryFilter;
use super::iter::{QueryContiguousIter, QueryIter};
use super::many::{self, Books, QueryCombinationIter, QueryManyIter};
use super::walk::{Walk, per_row};
use crate::cell::Cell;
use crate::entity::Entity;

/// All entities that have certain components: a system parameter, and what [`QueryState::query`] returns.
///
/// `D` is what the query yields, see [`QueryData`]; `F` is what it demands besides, see [`QueryFilter`].
/// Entities come table by table, in the order of rows; those of a query that demands a sparse component come in the order
/// of its storage. The order is the same whenever the same operations were done on the world.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(i32);
/// #[derive(Component)]
/// struct Poisoned;
///
/// fn poison(mut victims: Query<&mut Health, With<Poisoned>>) {
///     for mut health in &mut victims {
///         health.0 -= 1;
///     }
/// }
///
/// let mut world = World::new();
/// let victim = world.spawn((Health(10), Poisoned)).id();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(poison);
/// schedule.run(&mut world);
/// assert_eq!(world.get::<Health>(victim).unwrap().0, 9);
/// ```
pub struct Query<'w, 's, D: QueryData, F: QueryFilter = ()> {
    cell: Cell<'w>,
    cache: &'s CacheOf<D::Terms, F::Terms>,
    books: Books<'w, 's, <D::Terms as Fetch>::Column>,
}

impl<D: ReadOnlyQueryData, F: QueryFilter> Clone for Query<'_, '_, D, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: ReadOnlyQueryData, F: QueryFilter> Copy for Query<'_, '_, D, F> {}

impl<'w, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter> Query<'w, '_, D, F> {
    /// What the query yields for several entities, any of which may occur several times.
    pub(crate) fn get_many_readonly<const N: usize>(
        self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w>; N], QueryEntityError> {
        // SAFETY: as promised to `new`; what only reads may be given out any number of times.
        unsafe { get_each::<D, F, N>(self.cell, self.cache, entities) }
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The state is up to date with the cell's store.
    /// - The access of `D` is allowed, and no other borrow is in its way, for `'w`.
    #[inline]
    pub(crate) unsafe fn new(cell: Cell<'w>, state: &'s QueryState<D, F>) -> Self {
        Self { cell, cache: &state.cache, books: Books::new(cell, &state.cache) }
    }

    /// The same query for a shorter time.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> Query<'_, 's, D, F> {
        Query { cell: self.cell, cache: self.cache, books: self.books }
    }

    /// The same query, without writing.
    #[inline]
    #[must_use]
    pub fn as_readonly(&self) -> Query<'_, 's, D::ReadOnly, F> {
        Query { cell: self.cell, cache: self.cache, books: self.books }
    }

    /// The same query, without writing, for as long as this one could live.
    #[inline]
    #[must_use]
    pub fn into_readonly(self) -> Query<'w, 's, D::ReadOnly, F> {
        Query { cell: self.cell, cache: self.cache, books: self.books }
    }

    /// The matched entities, to read.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> QueryIter<'_, 's, D::ReadOnly, F> {
        self.as_readonly().into_iter()
    }

    /// The matched entities.
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> QueryIter<'_, 's, D, F> {
        self.reborrow().into_iter()
    }

    /// The matched rows as slices, to read: one item per table, whose members have the same length.
    ///
    /// `&T` becomes `&[T]`, `Option<&T>` becomes `Option<&[T]>`, `Entity` becomes `&[Entity]`, `Has<T>` stays a `bool`.
    /// Filters on sparse components cut a table into runs of rows; values of sparse components come one by one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Mass(f32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(|n| Mass(n as f32)));
    /// let mut query = world.query::<&Mass>();
    /// let total: f32 = query.contiguous_iter(&world).flatten().map(|mass| mass.0).sum();
    /// assert_eq!(total, 4950.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn contiguous_iter(&self) -> QueryContiguousIter<'_, 's, D::ReadOnly, F> {
        self.as_readonly().into_contiguous_iter()
    }

    /// The matched rows as slices: one item per table. `&mut T` becomes `&mut [T]`; see [`Query::contiguous_iter`].
    #[inline]
    #[must_use]
    pub fn contiguous_iter_mut(&mut self) -> QueryContiguousIter<'_, 's, D, F> {
        self.reborrow().into_contiguous_iter()
    }

    #[inline]
    pub(crate) fn into_contiguous_iter(self) -> QueryContiguousIter<'w, 's, D, F> {
        // SAFETY: as promised to `new`; `self` is used up.
        unsafe { QueryContiguousIter::new(self.cell, self.cache) }
    }

    /// What the query yields for one entity, to read. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    #[inline]
    pub fn get(&self, entity: Entity) -> Result<<D::ReadOnly as QueryData>::Item<'_>, QueryEntityError> {
        self.as_readonly().get_inner(entity)
    }

    /// What the query yields for one entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    #[inline]
    pub fn get_mut(&mut self, entity: Entity) -> Result<D::Item<'_>, QueryEntityError> {
        self.reborrow().get_inner(entity)
    }

    /// What the query yields for one entity, for as long as the query could live.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    #[inline]
    pub fn get_inner(self, entity: Entity) -> Result<D::Item<'w>, QueryEntityError> {
        // SAFETY: as promised to `new`; `self` is used up.
        match unsafe { many::get_with::<D, F>(self.cell, self.cache, self.books, entity) } {
            Some(item) => Ok(item),
            None => Err(why_not::<D>(self.cell, entity)),
        }
    }

    /// What the query yields for several entities, to read.
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive or does not match.
    pub fn get_many<const N: usize>(
        &self,
        entities: [Entity; N],
    ) -> Result<[<D::ReadOnly as QueryData>::Item<'_>; N], QueryEntityError> {
        self.as_readonly().get_many_readonly(entities)
    }

    /// What the query yields for several different entities. `O(N²)` comparisons.
    ///
    /// # Errors
    ///
    /// For the first entity that is not alive, does not match or occurs twice.
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'_>; N], QueryEntityError> {
        self.reborrow().get_many_inner(entities)
    }

    pub(crate) fn get_many_inner<const N: usize>(
        self,
        entities: [Entity; N],
    ) -> Result<[D::Item<'w>; N], QueryEntityError> {
        for (at, entity) in entities.iter().enumerate() {
            if entities[..at].contains(entity) {
                return Err(QueryEntityError::AliasedMutability(*entity));
            }
        }
        // SAFETY: as promised to `new`; the entities differ, and `self` is used up.
        unsafe { get_each::<D, F, N>(self.cell, self.cache, entities) }
    }

    /// What the query yields for the only entity that it matches, to read.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    pub fn single(&self) -> Result<<D::ReadOnly as QueryData>::Item<'_>, QuerySingleError> {
        self.as_readonly().single_inner()
    }

    /// What the query yields for the only entity that it matches.
    ///
    /// # Errors
    ///
    /// If no entity matches, or more than one.
    pub fn single_mut(&mut self) -> Result<D::Item<'_>, QuerySingleError> {
        self.reborrow().single_inner()
    }

    pub(crate) fn single_inner(self) -> Result<D::Item<'w>, QuerySingleError> {
        let mut items = self.into_iter();
        let first = items.next().ok_or(QuerySingleError::NoEntities(type_name::<D>()))?;
        match items.next() {
            None => Ok(first),
            Some(_) => Err(QuerySingleError::MultipleEntities(type_name::<D>())),
        }
    }

    /// What the query yields for each entity of a list, to read. Entities that do not match are passed over.
    pub fn iter_many<I: IntoIterator<Item: Borrow<Entity>>>(
        &self,
        entities: I,
    ) -> QueryManyIter<'_, 's, D::ReadOnly, F, I::IntoIter> {
        self.as_readonly().iter_many_inner(entities)
    }

    /// What the query yields for each entity of a list, through `fetch_next`. Entities that do not match are passed over.
    pub fn iter_many_mut<I: IntoIterator<Item: Borrow<Entity>>>(
        &mut self,
        entities: I,
    ) -> QueryManyIter<'_, 's, D, F, I::IntoIter> {
        self.reborrow().iter_many_inner(entities)
    }

    pub(crate) fn iter_many_inner<I: IntoIterator<Item: Borrow<Entity>>>(
        self,
        entities: I,
    ) -> QueryManyIter<'w, 's, D, F, I::IntoIter> {
        // SAFETY: as promised to `new`; `self` is used up.
        unsafe { QueryManyIter::new(self.cell, self.cache, entities.into_iter()) }
    }

    /// All ways to choose `K` of the matched entities, to read.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Number(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Number(1), Number(2), Number(3)]);
    /// let mut query = world.query::<&Number>();
    /// let products: Vec<u32> = query.iter_combinations(&world).map(|[a, b]| a.0 * b.0).collect();
    /// assert_eq!(products, [2, 3, 6]);
    /// ```
    #[must_use]
    pub fn iter_combinations<const K: usize>(&self) -> QueryCombinationIter<'_, 's, D::ReadOnly, F, K> {
        self.as_readonly().iter_combinations_inner()
    }

    /// All ways to choose `K` of the matched entities, through `fetch_next`.
    #[must_use]
    pub fn iter_combinations_mut<const K: usize>(&mut self) -> QueryCombinationIter<'_, 's, D, F, K> {
        self.reborrow().iter_combinations_inner()
    }

    pub(crate) fn iter_combinations_inner<const K: usize>(self) -> QueryCombinationIter<'w, 's, D, F, K> {
        // SAFETY: as promised to `new`; `self` is used up.
        unsafe { QueryCombinationIter::new(self.cell, self.cache) }
    }

    /// Whether the query matches an entity. `O(1)`.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_ok()
    }

    /// Whether the query matches no entity.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// How many entities the query matches: `O(tables)`, and `O(entities)` with sparse components.
    #[must_use]
    pub fn count(&self) -> usize {
        if per_row::<D::Terms, F::Terms>() {
            return self.iter().count();
        }
        // SAFETY: as promised to `new`.
        let mut walk: Walk<'_, '_, D::Terms, F::Terms> = unsafe { Walk::new(self.cell, self.cache) };
        core::iter::from_fn(|| walk.next()).map(|block| block.end).sum()
    }
}

/// # Safety
///
/// - The entities differ, or the query only reads.
/// - As for [`many::get`], for each of them.
unsafe fn get_each<'w, D: QueryData, F: QueryFilter, const N: usize>(
    cell: Cell<'w>,
    cache: &CacheOf<D::Terms, F::Terms>,
    entities: [Entity; N],
) -> Result<[D::Item<'w>; N], QueryEntityError> {
    // SAFETY: the caller's promise.
    let mut items = entities.map(|entity| unsafe { many::get::<D, F>(cell, cache, entity) });
    if let Some(missing) = items.iter().position(Option::is_none) {
        return Err(why_not::<D>(cell, entities[missing]));
    }
    Ok(array::from_fn(|at| match items[at].take() {
        Some(item) => item,
        None => unreachable!("checked above"),
    }))
}

#[cold]
fn why_not<D: QueryData>(cell: Cell<'_>, entity: Entity) -> QueryEntityError {
    match cell.store().entities.locate(entity) {
        Ok(_) => QueryEntityError::QueryDoesNotMatch(entity, type_name::<D>()),
        Err(error) => QueryEntityError::NotSpawned(error),
    }
}

impl<'w, 's, D: QueryData, F: QueryFilter> IntoIterator for Query<'w, 's, D, F> {
    type Item = D::Item<'w>;
    type IntoIter = QueryIter<'w, 's, D, F>;

    #[inline]
    fn into_iter(self) -> QueryIter<'w, 's, D, F> {
        // SAFETY: as promised to `new`; `self` is used up.
        unsafe { QueryIter::new(self.cell, self.cache) }
    }
}

impl<'a, 's, D: QueryData, F: QueryFilter> IntoIterator for &'a Query<'_, 's, D, F> {
    type Item = <D::ReadOnly as QueryData>::Item<'a>;
    type IntoIter = QueryIter<'a, 's, D::ReadOnly, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, 's, D: QueryData, F: QueryFilter> IntoIterator for &'a mut Query<'_, 's, D, F> {
    type Item = D::Item<'a>;
    type IntoIter = QueryIter<'a, 's, D, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<D: QueryData, F: QueryFilter> fmt::Debug for Query<'_, '_, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query<{}, {}>", type_name::<D>(), type_name::<F>())
    }
}
