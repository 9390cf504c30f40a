//! Queries made of other queries: [`QueryLens`], [`Query::transmute_lens`], [`Query::join`].
//!
//! A query has access only to the entities that it matches: its filters may be the only thing that separates it from another query
//! of the same system. So a lens visits only tables that its source queries match. Tables do not show whether a query demands
//! sparse components, so the lens has to repeat such demands of its sources.
//!
//! Tests: tests/queries/lens.rs

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::type_name;

use super::cache::{CacheOf, QueryState};
use super::data::{QueryData, ReadOnlyQueryData};
use super::fetch::{Fetch, ReadOnlyFetch};
use super::filter::{FilterTerms, QueryFilter};
use super::handle::Query;
use super::matching;
use crate::access::FilteredAccess;
use crate::entity::TableId;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::util::type_name::short_name;

/// A query made of one or two other queries, its sources. It visits the same entities or fewer, with the same access or less, and
/// has other data and filters. A function that takes a lens can be called with many queries.
///
/// Made by [`Query::transmute_lens`], [`Query::join`] and [`Query::as_query_lens`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::QueryLens;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Mana(u32);
///
/// fn weakest(mut healths: QueryLens<(Entity, &Health)>) -> Option<Entity> {
///     healths.query().iter().min_by_key(|(_, health)| health.0).map(|(entity, _)| entity)
/// }
///
/// fn of_all(mut all: Query<&mut Health>) -> Option<Entity> {
///     weakest(all.transmute_lens())
/// }
///
/// fn of_mages(mut mages: Query<(&Health, &Mana)>) -> Option<Entity> {
///     weakest(mages.transmute_lens())
/// }
///
/// let mut world = World::new();
/// let weak = world.spawn(Health(1)).id();
/// let mage = world.spawn((Health(3), Mana(7))).id();
/// assert_eq!(world.run_system_once(of_all).unwrap(), Some(weak));
/// assert_eq!(world.run_system_once(of_mages).unwrap(), Some(mage));
/// ```
pub struct QueryLens<'w, D: QueryData, F: QueryFilter = ()> {
    cell: StoreCell<'w>,
    state: QueryState<D, F>,
}

impl<'w, D: QueryData, F: QueryFilter> QueryLens<'w, D, F> {
    /// Returns the query of the lens.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn count(mut all: Query<&mut Health>) -> usize {
    ///     all.transmute_lens::<Entity>().query().count()
    /// }
    /// let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// assert_eq!(world.run_system_once(count).unwrap(), 2);
    /// ```
    #[must_use]
    pub fn query(&mut self) -> Query<'_, '_, D, F> {
        // SAFETY: the state is up to date with the store's tables, and none is added for 'w. The source queries are borrowed for 'w
        // and have this access to the entities that the lens matches; `self` is borrowed for as long as the query.
        unsafe { Query::new(self.cell, &self.state) }
    }
}

impl<'w, D: QueryData<Terms: ReadOnlyFetch>, F: QueryFilter> QueryLens<'w, D, F> {
    /// Returns the read-only query, for as long as the source queries are borrowed.
    #[must_use]
    pub fn query_inner(&self) -> Query<'w, '_, D, F>
    where
        D: ReadOnlyQueryData,
    {
        // SAFETY: the state is up to date with the store's tables, and none is added for 'w. The source queries are borrowed for 'w
        // and have this access; the query is read-only, so any number of them may be alive.
        unsafe { Query::new(self.cell, &self.state) }
    }
}

impl_debug!([D: QueryData, F: QueryFilter] QueryLens<'_, D, F> => |this, f|
    f.debug_tuple("QueryLens").field(&this.state).finish());

/// The access and the name of one source query of a lens.
struct LensSource {
    access: FilteredAccess,
    name: String,
}

/// Formats a name such as "Query<&Health, With<Mana>>".
fn query_name<D: QueryData, F: QueryFilter>() -> String {
    match short_name(type_name::<F>()).as_str() {
        "()" => format!("Query<{}>", short_name(type_name::<D>())),
        filter => format!("Query<{}, {filter}>", short_name(type_name::<D>())),
    }
}

impl LensSource {
    fn of<D: QueryData, F: QueryFilter>(store: &Store) -> Self {
        match matching::found(store, &D::Terms::TERM, &F::Terms::TERM) {
            Some(terms) => Self { access: terms.all().access(), name: query_name::<D, F>() },
            None => unreachable!("the terms of a query that is there are known"),
        }
    }

    fn of_state<D: QueryData, F: QueryFilter>(state: &QueryState<D, F>) -> Self {
        Self { access: state.access().clone(), name: query_name::<D, F>() }
    }
}

/// Creates a query that borrows only components that one of the parts borrows. Its filters on sparse components match only entities
/// of all parts. Its tables have not been selected yet.
#[track_caller]
fn query_of_parts<D: QueryData, F: QueryFilter>(store: &Store, parts: &[LensSource]) -> QueryState<D, F> {
    let () = QueryState::<D, F>::BORROWS_AGREE;
    assert!(
        !D::Terms::FACTS.nests,
        "`{}` cannot be made of other queries: these have no access to the entities of its nested query",
        query_name::<D, F>(),
    );
    let components = &store.structure.archetypes.components;
    let names = || parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join("` and `");
    let Some(mut state) = QueryState::<D, F>::find_as_written(store) else {
        let new = query_name::<D, F>();
        panic!("`{new}` cannot be made of `{}`: the world has never met one of its components", names());
    };
    let mut borrowed = FilteredAccess::default();
    parts.iter().for_each(|part| borrowed.add_borrows_of(&part.access));
    if let Some(what) = state.access().first_beyond(&borrowed) {
        let (new, what) = (query_name::<D, F>(), what.text(components));
        panic!(
            "`{new}` cannot be made of `{}`: it borrows {what}, or borrows it mutably, where the old one does not",
            names()
        );
    }
    if let Some(part) = parts.iter().find(|part| !state.access().keeps_to_rows_of(&part.access, components)) {
        let (new, name) = (query_name::<D, F>(), &part.name);
        panic!(
            "`{new}` cannot be made of `{name}`: that one demands or excludes a sparse component, so the new one has to \
             say the same, with `With` or `Without` in a filter"
        );
    }
    state.give_borrows_of(&borrowed);
    state
}

/// Creates a lens on the tables for which `is_meant` returns true.
///
/// # Safety
///
/// - `is_meant` returns true only for tables of the cell's store that the queries of all parts match. These tables may be used for
///   `'w`, exclusively if `D` writes.
#[track_caller]
unsafe fn lens<'w, D: QueryData, F: QueryFilter>(
    cell: StoreCell<'w>,
    parts: &[LensSource],
    is_meant: impl Fn(TableId) -> bool,
) -> QueryLens<'w, D, F> {
    let mut state = query_of_parts::<D, F>(cell.store(), parts);
    state.match_tables(cell.store(), is_meant);
    QueryLens { cell, state }
}

/// Returns a function that tells whether a cached query matches a table.
fn matches<D: QueryData, F: QueryFilter>(cache: &CacheOf<D::Terms, F::Terms>) -> impl Fn(TableId) -> bool {
    |table| cache.match_of(table).is_some()
}

/// Methods that make other queries from this one.
///
/// The old query has to borrow everything that the new one borrows. Filters on the presence of components in tables also apply to
/// the new query. Change filters apply to it only if they are repeated there. Apart from change filters, the new query matches only
/// entities that the old one matches.
///
/// | new data or filter | has to be borrowed |
/// |---|---|
/// | `Entity`, `Has<T>`, `With<T>`, `Without<T>` | nothing |
/// | `&T`, `Ref<T>`, `Option<&T>`, `Added<T>`, `Changed<T>` | `T` |
/// | `&mut T`, `Mut<T>` | `T`, mutably |
/// | `EntityRef`, `EntityMut` | all components |
/// | `FilteredEntityRef`, `FilteredEntityMut` | nothing |
///
/// The first `FilteredEntityRef` or `FilteredEntityMut` in the data gets the access of the old query that does not conflict with the
/// rest of the data. It gets no access if the old query borrows all components.
///
/// If the old query demands or excludes a sparse component, the new query must demand or exclude it, too.
///
/// # Panics
///
/// If one of these conditions does not hold, or if the new query names a component that is not registered in the world. The message
/// names the queries and the component.
///
/// # Cost
///
/// The new query is created and checks all tables that the old one matches: `O(tables)`.
impl<'w, D: QueryData, F: QueryFilter> Query<'w, '_, D, F> {
    /// Returns the query as a lens, with the same entities and access.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::QueryLens;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn sum(mut all: QueryLens<&Health>) -> u32 {
    ///     all.query().iter().map(|health| health.0).sum()
    /// }
    /// let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let total = |mut all: Query<&Health>| sum(all.as_query_lens());
    /// assert_eq!(world.run_system_once(total).unwrap(), 3);
    /// ```
    #[track_caller]
    pub fn as_query_lens(&mut self) -> QueryLens<'_, D, F> {
        self.transmute_lens_filtered()
    }

    /// Like [`as_query_lens`](Self::as_query_lens), but with the lifetime of the world borrow.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::QueryLens;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn sum(mut all: QueryLens<&Health>) -> u32 {
    ///     all.query().iter().map(|health| health.0).sum()
    /// }
    /// let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// let total = |all: Query<&Health>| sum(all.into_query_lens());
    /// assert_eq!(world.run_system_once(total).unwrap(), 3);
    /// ```
    #[track_caller]
    pub fn into_query_lens(self) -> QueryLens<'w, D, F> {
        self.transmute_lens_filtered_inner()
    }

    /// Returns a lens over the same entities, with other data.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    ///
    /// fn sum(mut all: Query<(&mut Health, &Mana)>) -> u32 {
    ///     all.transmute_lens::<&Health>().query().iter().map(|health| health.0).sum()
    /// }
    /// let mut world = World::new();
    /// world.spawn_batch([(Health(1), Mana(5)), (Health(2), Mana(5))]);
    /// assert_eq!(world.run_system_once(sum).unwrap(), 3);
    /// ```
    #[track_caller]
    pub fn transmute_lens<NewD: QueryData>(&mut self) -> QueryLens<'_, NewD> {
        self.transmute_lens_filtered()
    }

    /// Like [`transmute_lens`](Self::transmute_lens), but with the lifetime of the world borrow.
    #[track_caller]
    pub fn transmute_lens_inner<NewD: QueryData>(self) -> QueryLens<'w, NewD> {
        self.transmute_lens_filtered_inner()
    }

    /// Returns a lens over the same entities, or some of them, with other data and another filter.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    ///
    /// fn mages(mut all: Query<&mut Health>) -> usize {
    ///     all.transmute_lens_filtered::<Entity, With<Mana>>().query().count()
    /// }
    /// let mut world = World::new();
    /// world.spawn(Health(1));
    /// world.spawn((Health(2), Mana(5)));
    /// assert_eq!(world.run_system_once(mages).unwrap(), 1);
    /// ```
    #[track_caller]
    pub fn transmute_lens_filtered<NewD: QueryData, NewF: QueryFilter>(&mut self) -> QueryLens<'_, NewD, NewF> {
        self.reborrow().transmute_lens_filtered_inner()
    }

    /// Like [`transmute_lens_filtered`](Self::transmute_lens_filtered), but with the lifetime of the world borrow.
    #[track_caller]
    pub fn transmute_lens_filtered_inner<NewD: QueryData, NewF: QueryFilter>(self) -> QueryLens<'w, NewD, NewF> {
        let matched = self.matched();
        let (cell, cache) = (matched.cell(), matched.cache());
        // SAFETY: `matches` is true only for tables that this query matches. The query is consumed, and had its access for 'w.
        unsafe { lens(cell, &[LensSource::of::<D, F>(cell.store())], matches::<D, F>(cache)) }
    }

    /// Returns a lens over the entities that both this query and another one match, with data of both.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Mana(u32);
    ///
    /// fn mages(mut healths: Query<&mut Health>, mut manas: Query<&Mana>) {
    ///     let mut both = healths.join::<&Mana, (&mut Health, &Mana)>(&mut manas);
    ///     both.query().iter_mut().for_each(|(mut health, mana)| health.0 += mana.0);
    /// }
    /// let mut world = World::new();
    /// world.spawn(Health(1));
    /// let mage = world.spawn((Health(2), Mana(5))).id();
    /// world.run_system_once(mages).unwrap();
    /// assert_eq!(world.get::<Health>(mage).unwrap().0, 7);
    /// ```
    #[track_caller]
    pub fn join<'a, OtherD: QueryData, NewD: QueryData>(
        &'a mut self,
        other: &'a mut Query<'_, '_, OtherD>,
    ) -> QueryLens<'a, NewD> {
        self.join_filtered(other)
    }

    /// Like [`join`](Self::join), but with the lifetime of the world borrow.
    #[track_caller]
    pub fn join_inner<OtherD: QueryData, NewD: QueryData>(self, other: Query<'w, '_, OtherD>) -> QueryLens<'w, NewD> {
        self.join_filtered_inner(other)
    }

    /// Like [`join`](Self::join), but with another filter.
    #[track_caller]
    pub fn join_filtered<'a, OtherD: QueryData, OtherF: QueryFilter, NewD: QueryData, NewF: QueryFilter>(
        &'a mut self,
        other: &'a mut Query<'_, '_, OtherD, OtherF>,
    ) -> QueryLens<'a, NewD, NewF> {
        self.reborrow().join_filtered_inner(other.reborrow())
    }

    /// Like [`join_filtered`](Self::join_filtered), but with the lifetime of the world borrow.
    ///
    /// # Panics
    ///
    /// If the queries belong to different worlds, and in the cases that apply to all these methods.
    #[track_caller]
    pub fn join_filtered_inner<OtherD: QueryData, OtherF: QueryFilter, NewD: QueryData, NewF: QueryFilter>(
        self,
        other: Query<'w, '_, OtherD, OtherF>,
    ) -> QueryLens<'w, NewD, NewF> {
        let (own, other) = (self.matched(), other.matched());
        let cell = own.cell();
        let store = cell.store();
        assert!(core::ptr::eq(store, other.cell().store()), "queries of two worlds cannot be joined");
        let parts = [LensSource::of::<D, F>(store), LensSource::of::<OtherD, OtherF>(store)];
        let (is_own, is_others) = (matches::<D, F>(own.cache()), matches::<OtherD, OtherF>(other.cache()));
        // SAFETY: the closure returns true only for tables that both queries match. Both queries are consumed, had their access for
        // 'w, and belong to the same store.
        unsafe { lens(cell, &parts, |table| is_own(table) && is_others(table)) }
    }
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Returns a query over the same entities. It is made as by [`Query::transmute_lens_filtered`].
    #[track_caller]
    pub(crate) fn transmuted<NewD: QueryData, NewF: QueryFilter>(&self, store: &Store) -> QueryState<NewD, NewF> {
        self.expect_world(store);
        let mut state = query_of_parts(store, &[LensSource::of_state(self)]);
        state.keep_within(self);
        state
    }

    /// Returns a query over the entities that both queries match. It is made as by [`Query::join_filtered`].
    #[track_caller]
    pub(crate) fn joined<OtherD: QueryData, OtherF: QueryFilter, NewD: QueryData, NewF: QueryFilter>(
        &self,
        store: &Store,
        other: &QueryState<OtherD, OtherF>,
    ) -> QueryState<NewD, NewF> {
        self.expect_world(store);
        other.expect_world(store);
        let mut state = query_of_parts(store, &[LensSource::of_state(self), LensSource::of_state(other)]);
        state.keep_within(self);
        state.keep_within(other);
        state
    }
}

impl_from!(['a, D: QueryData, F: QueryFilter] &'a mut QueryLens<'_, D, F> => Query<'a, 'a, D, F>, |lens| lens.query());

impl<'a, D: QueryData, F: QueryFilter> From<&'a mut Query<'_, '_, D, F>> for QueryLens<'a, D, F> {
    #[track_caller]
    fn from(query: &'a mut Query<'_, '_, D, F>) -> Self {
        query.as_query_lens()
    }
}
