//! [`Query`]: the matched tables of a query, with access to its data.
//!
//! Tests: tests/queries/iteration.rs, tests/queries/whole_entities.rs

use super::blocks::Matched;
use super::cache::QueryState;
use super::data::{QueryData, ReadOnlyQueryData};
use super::error::QueryEntityError;
use super::fetch::{Fetch, Kept};
use super::filter::QueryFilter;
use super::find::{self, LookupLists};
use crate::entity::Entity;
use crate::structure::cell::StoreCell;

/// Gives access to all entities that have certain components. This is a system parameter; [`QueryState::query`] returns it, too.
///
/// `D` is the data that the query yields, see [`QueryData`]. `F` is an additional filter, see [`QueryFilter`]. Entities are visited
/// table by table, in the order of rows. If the query demands a sparse component, they are visited in the order of its storage. The
/// order is the same whenever the same operations were done on the world.
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
#[doc(alias("View", "QueryBorrow", "SystemQuery", "EntityQuery", "SystemAPI"))]
pub struct Query<'w, 's, D: QueryData, F: QueryFilter = ()> {
    matched: Matched<'w, 's, D::Terms, F::Terms>,
    books: LookupLists<'w, 's, <D::Terms as Fetch>::Column>,
}

impl_copy! { [D: ReadOnlyQueryData, F: QueryFilter] Query<'_, '_, D, F>; }

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    /// # Safety
    ///
    /// - The state is up to date with the cell's store.
    /// - The access of `D` is allowed for `'w` and conflicts with no other borrow.
    #[inline]
    pub(crate) unsafe fn new(cell: StoreCell<'w>, state: &'s QueryState<D, F>) -> Self {
        // SAFETY: forwarded: the state is up to date with the cell's store; the values that the filter reads are part of the
        // access.
        let matched = unsafe { Matched::new(cell, &state.cache) };
        // SAFETY: forwarded: the access of `D` is allowed for `'w` and conflicts with no other borrow.
        unsafe { Self::of_matched(matched) }
    }

    /// # Safety
    ///
    /// - The access of `D` is allowed for `'w` and conflicts with no other borrow.
    #[inline]
    pub(super) unsafe fn of_matched(matched: Matched<'w, 's, D::Terms, F::Terms>) -> Self {
        Self { matched, books: LookupLists::new(matched.cell(), matched.cache()) }
    }

    /// Returns the item of an entity, if it matches.
    ///
    /// # Safety
    ///
    /// - No other item of the same entity with mutable access is alive.
    #[inline(always)]
    pub(super) unsafe fn fetch<'a>(&self, entity: Entity) -> Option<D::Item<'a, 's>>
    where
        'w: 'a,
    {
        // SAFETY: `books` was made from the cell and the cache; the access is allowed, as promised to `new`, and no live item
        // conflicts with it (forwarded).
        let got = unsafe { find::fetch::<D::Terms, F::Terms>(self.matched, self.books, entity) }?;
        Some(D::item(got, self.kept()))
    }

    /// Like [`fetch`](Self::fetch), but with the lifetime of the query.
    #[inline(always)]
    pub(crate) fn fetch_inner(self, entity: Entity) -> Option<D::Item<'w, 's>> {
        // SAFETY: the query is consumed, or read-only, so no live item conflicts.
        unsafe { self.fetch(entity) }
    }

    /// Returns the error for an entity that the query does not match.
    #[inline(always)]
    pub(super) fn why_not(&self, entity: Entity) -> QueryEntityError {
        find::why_not::<D>(self.matched.cell().store(), entity)
    }

    /// Returns the same query with other data and another filter, which have the same terms.
    #[inline]
    pub(crate) fn with_same_terms<E, G>(self) -> Query<'w, 's, E, G>
    where
        E: QueryData<Terms = D::Terms>,
        G: QueryFilter<Terms = F::Terms>,
    {
        Query { matched: self.matched, books: self.books }
    }

    /// Returns the same query with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn heal_all(mut query: Query<&mut Health>) {
    ///     query.iter_mut().for_each(|mut health| health.0 += 1);
    /// }
    ///
    /// fn heal_twice(mut query: Query<&mut Health>) {
    ///     heal_all(query.reborrow());
    ///     heal_all(query);
    /// }
    /// # let mut world = World::new();
    /// # world.spawn(Health(1));
    /// # world.run_system_once(heal_twice).unwrap();
    /// # assert_eq!(world.query::<&Health>().single(&world).unwrap().0, 3);
    /// ```
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> Query<'_, 's, D, F> {
        Query { matched: self.matched, books: self.books }
    }

    /// Returns the query with read-only access.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn total(query: Query<&Health>) -> u32 {
    ///     query.iter().map(|health| health.0).sum()
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// let mut state = world.query::<&mut Health>();
    /// let query = state.query_mut(&mut world);
    /// assert_eq!(total(query.as_readonly()), 3);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_readonly(&self) -> Query<'_, 's, D::ReadOnly, F> {
        Query { matched: self.matched.read_only(), books: self.books }
    }

    /// Returns the query with read-only access and the same lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn strongest<'w>(query: Query<'w, '_, &mut Health>) -> Option<&'w Health> {
    ///     query.into_readonly().into_iter().max_by_key(|health| health.0)
    /// }
    /// # let mut world = World::new();
    /// # world.spawn_batch([Health(1), Health(2)]);
    /// # assert_eq!(strongest(world.query().query_mut(&mut world)).unwrap().0, 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn into_readonly(self) -> Query<'w, 's, D::ReadOnly, F> {
        Query { matched: self.matched.read_only(), books: self.books }
    }

    /// Returns the state of the terms, which items borrow.
    #[inline]
    pub(crate) fn kept(&self) -> Kept<'s, D::Terms> {
        Some(&self.matched.cache().data)
    }

    /// Returns the store and the matched tables.
    #[inline]
    pub(crate) fn matched(&self) -> Matched<'w, 's, D::Terms, F::Terms> {
        self.matched
    }
}
