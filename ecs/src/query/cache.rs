//! The tables that a query matches, cached between uses.
//!
//! Tests: tests/queries/cache.rs

use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::data::QueryData;
use super::fetch::Fetch;
use super::filter::{FilterTerms, QueryFilter};
use super::matching::{self, TableFilter};
use crate::access::const_access::check_query;
use crate::access::term::{ConstTerm, Group, TermEntry, Terms, Usage};
use crate::access::{ComponentConflict, FilteredAccess};
use crate::component::{ComponentId, Components, TrackingGuard};
use crate::entity::TableId;
use crate::storage::table::{Table, Tables};
use crate::structure::store::{Store, WorldId};

/// A table that a query matches.
#[derive(Clone, Copy)]
pub(crate) struct Match<C> {
    pub(crate) table: TableId,
    pub(crate) column: C,
}

/// The tables that a query matches, and the state of its terms. The type depends on the terms, not on the query's type, so a query
/// and its read-only version share a cache.
pub(crate) struct Cache<D, C, F> {
    world: WorldId,
    /// The generation of the store's tables at the last update.
    generation: u64,
    /// The epoch of the store's tables; table ids in the cache are valid in this epoch only.
    epoch: u64,
    /// Number of tables checked so far.
    seen: usize,
    pub(crate) data: D,
    pub(crate) filter: F,
    pub(crate) matches: Vec<Match<C>>,
    /// Column state by table id, to find single entities. The list ends with the last matched table.
    pub(super) by_table: Vec<Option<C>>,
    /// The only match, if there is exactly one. Otherwise the id is [`TableId::UNUSED`], and the memory is uninitialized.
    pub(super) only: (TableId, MaybeUninit<C>),
    /// The numbers of the sparse storages that contain every match.
    pub(crate) drivers: Vec<u32>,
}

/// The cache of a query with these terms.
pub(crate) type CacheOf<D, F> = Cache<<D as Fetch>::State, <D as Fetch>::Column, <F as FilterTerms>::State>;

impl<D, C: Copy, F> Cache<D, C, F> {
    /// Returns the match of a table.
    #[inline]
    pub(crate) fn match_of(&self, table: TableId) -> Option<Match<C>> {
        let column = self.by_table.get(table.index()).copied().flatten()?;
        Some(Match { table, column })
    }

    /// Discards all cached information about tables.
    fn look_again(&mut self) {
        self.matches = Vec::new();
        self.by_table = Vec::new();
        self.only = (TableId::UNUSED, MaybeUninit::uninit());
        self.seen = 0;
        self.generation = 0;
    }

    /// Adds a match, unless `column` is `None`: then the table lacks something that each row needs. Tables are added in ascending
    /// order.
    fn add(&mut self, column: Option<C>, table: TableId) {
        let Some(column) = column else { return };
        self.by_table.resize(table.index(), None);
        self.by_table.push(Some(column));
        self.matches.push(Match { table, column });
        self.only = match self.matches.len() {
            1 => (table, MaybeUninit::new(column)),
            _ => (TableId::UNUSED, MaybeUninit::uninit()),
        };
    }

    fn is_of(&self, store: &Store) -> bool {
        self.world == store.id()
    }
}

/// A query that exists outside of systems and caches the tables that it matches.
///
/// Made by [`World::query`](crate::world::World::query). Each use costs one comparison if the world has no new tables. Otherwise it
/// costs `O(n)` in the number of new tables that have the rarest component that the query demands. After
/// [`World::shrink_to_fit`](crate::world::World::shrink_to_fit) all tables are new.
///
/// # Panics
///
/// Every method panics if it is called with another world than the one for which the state was made.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_batch([Health(1), Health(2)]);
/// let mut query = world.query::<&Health>();
/// assert_eq!(query.iter(&world).map(|health| health.0).sum::<u32>(), 3);
/// ```
#[doc(alias("PreparedQuery", "EntityQuery", "QueryBuilder"))]
pub struct QueryState<D: QueryData, F: QueryFilter = ()> {
    pub(crate) cache: CacheOf<D::Terms, F::Terms>,
    matcher: TableMatcher,
    /// The access when the state was made. Components that were excluded later are not included, because conflicts were checked
    /// with this access.
    access: FilteredAccess,
    /// Guards that keep changes tracked for the components whose changes the query checks.
    watches: Vec<TrackingGuard>,
    marker: PhantomData<fn() -> (D, F)>,
}

/// Decides which tables a query matches. It does not depend on the type of the query, so its code is compiled once.
struct TableMatcher {
    terms: Terms,
    tables: TableFilter,
    /// The table-stored components that every matched table has.
    demanded: Vec<ComponentId>,
    /// The table filters of the queries that this query was made from. A table has to match these filters as well.
    within: Vec<TableFilter>,
    /// The number of disabling components of the world that the terms already take into account.
    disabling: usize,
}

impl TableMatcher {
    /// Creates a matcher. Also returns the numbers of the sparse storages that contain every match.
    fn new(store: &Store, terms: Terms) -> (Self, Vec<u32>) {
        let tables = TableFilter::of_query(&terms);
        let (mut drivers, mut demanded) = (Vec::new(), Vec::new());
        terms.all().required(&mut |component| match component.sparse {
            Some(storage) => drivers.push(storage),
            None => demanded.extend(component.id),
        });
        drivers.sort_unstable();
        drivers.dedup();
        let disabling = store.structure.archetypes.components.disabling().len();
        (Self { terms, tables, demanded, within: Vec::new(), disabling }, drivers)
    }

    /// Returns whether entities of the table can match.
    fn matches(&self, table: &Table) -> bool {
        self.tables.matches(table) && self.within.iter().all(|others| others.matches(table))
    }

    /// Excludes disabling components that were registered since the last call. Returns whether there were any.
    fn update_disabling(&mut self, components: &Components) -> bool {
        let disabling = components.disabling().len();
        let has_new = self.disabling != disabling;
        if has_new {
            matching::exclude_disabled(&mut self.terms, components, self.disabling);
            self.tables = TableFilter::of_query(&self.terms);
            self.disabling = disabling;
        }
        has_new
    }

    /// Visits the matched tables with ids from `seen` on, in ascending order.
    fn visit_from(&self, tables: &Tables, seen: usize, visit: &mut dyn FnMut(&Table)) {
        // Iterate over the tables of the rarest demanded component, so the cost does not grow with unrelated new tables.
        let rarest = self.demanded.iter().map(|&id| tables.with(id, seen)).min_by_key(|with| with.len());
        let matched = |table: &&Table| self.matches(table);
        match rarest {
            Some(with) => with.iter().filter_map(|&id| tables.get(id)).filter(matched).for_each(visit),
            None => tables.iter().skip(seen).filter(matched).for_each(visit),
        }
    }

    /// Returns the number of rows of all matched tables, or the size of the smallest of the sparse storages if that is less.
    fn rows(&self, store: &Store, drivers: &[u32]) -> usize {
        let matched = |table: &&Table| self.matches(table);
        let in_tables: usize = store.structure.archetypes.tables.iter().filter(matched).map(Table::len).sum();
        drivers.iter().map(|driver| store.structure.sparse[*driver as usize].len()).fold(in_tables, usize::min)
    }

    /// Returns the components whose row ticks the query reads or sets.
    fn ticked(&self) -> Vec<ComponentId> {
        let ticked = self.terms.data().components().filter(|(usage, _)| usage.ticks_rows());
        ticked.filter_map(|(_, component)| component.id).collect()
    }

    /// Limits the tables to the tables that another query matches.
    fn keep_within(&mut self, other: &Self) {
        self.within.extend(other.within.iter().chain([&other.tables]).cloned());
    }
}

/// Makes the store track the ticks that the terms of a query check.
fn watch_changes(store: &mut Store, terms: &Terms) -> Vec<TrackingGuard> {
    if terms.all().asks_spawns() {
        store.events.track_spawns(&mut store.structure.archetypes, store.clock.change_tick());
    }
    let is_asked = |usage: Usage| usage.asks_changes() && !usage.selects_pairs();
    let asked = terms.all().all_components().filter(|(usage, _)| is_asked(*usage));
    asked.filter_map(|(_, component)| store.structure.watch(component.id?, store.clock.change_tick())).collect()
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// # Panics
    ///
    /// If the query borrows a component twice, at least once mutably. The compiler rejects such a query, unless the component has
    /// type parameters.
    #[track_caller]
    pub(crate) fn in_store(store: &mut Store) -> Self {
        Self::with_added(store, &[])
    }

    /// Checks that the terms do not conflict. Evaluated where a user names the query, so that the compiler reports conflicts there.
    pub(crate) const BORROWS_AGREE: () =
        check_query(PhantomData::<(D, F)>, &ConstTerm::Group(Group::All, &[D::Terms::TERM, F::Terms::TERM]));

    /// Like [`BORROWS_AGREE`](Self::BORROWS_AGREE), but for a call that fetches a single entity. It also rejects data that cannot
    /// be fetched in this way.
    pub(crate) const FITS_ONE_ENTITY: () = {
        let () = Self::BORROWS_AGREE;
        D::Terms::FACTS.assert_single();
    };

    /// Creates the state. The error is the component that the query borrows twice, at least once mutably.
    pub(crate) fn try_new(store: &mut Store) -> Result<Self, ComponentConflict> {
        Self::with_terms(store, &[], &[])
    }

    /// Like [`try_new`](Self::try_new), but for a system. On a conflict, calls `refuse`. The system is then rejected, so the
    /// returned state is never used.
    pub(crate) fn new_or_refused(store: &mut Store, refuse: impl FnOnce(&Store, ComponentConflict)) -> Self {
        Self::try_new(store).unwrap_or_else(|twice| {
            refuse(store, twice);
            let terms = matching::registered(store, &D::Terms::TERM, &F::Terms::TERM, &[], &[]);
            Self::of(store, terms, FilteredAccess::default(), Vec::new())
        })
    }

    /// Creates the state of a query with additional terms that are not part of its type. These terms also decide which tables
    /// match.
    ///
    /// # Panics
    ///
    /// See [`in_store`](Self::in_store).
    #[track_caller]
    pub(crate) fn with_added(store: &mut Store, added: &[TermEntry]) -> Self {
        match Self::with_terms(store, &[], added) {
            Ok(state) => state,
            Err(twice) => borrowed_twice::<D>(store, twice),
        }
    }

    /// Like [`try_new`](Self::try_new), but takes terms that are not part of the query's type. `made` are the terms for the
    /// placeholders in this type, in order. `added` are further terms.
    ///
    /// # Panics
    ///
    /// If the number of terms in `made` differs from the number of placeholders, or if one of them names a component that is not
    /// registered.
    pub(crate) fn with_terms(
        store: &mut Store,
        made: &[(Usage, ComponentId)],
        added: &[TermEntry],
    ) -> Result<Self, ComponentConflict> {
        let terms = matching::registered(store, &D::Terms::TERM, &F::Terms::TERM, made, added);
        let access = borrowed_once(&terms)?;
        let watches = watch_changes(store, &terms);
        let mut state = Self::of(store, terms, access, watches);
        if !added.is_empty() {
            D::Terms::grant_access(&mut state.cache.data, &state.matcher.terms.added().access());
        }
        Ok(state)
    }

    /// Creates the state, if all components are registered already.
    ///
    /// # Panics
    ///
    /// See [`in_store`](Self::in_store).
    #[track_caller]
    pub(crate) fn find(store: &Store) -> Option<Self> {
        let mut terms = matching::found(store, &D::Terms::TERM, &F::Terms::TERM)?;
        matching::exclude_disabled(&mut terms, &store.structure.archetypes.components, 0);
        Some(Self::of_found(store, terms))
    }

    /// Like [`find`](Self::find), but does not exclude disabled entities. For a query made of other queries: these decide whether
    /// disabled entities match.
    #[track_caller]
    pub(crate) fn find_as_written(store: &Store) -> Option<Self> {
        Some(Self::of_found(store, matching::found(store, &D::Terms::TERM, &F::Terms::TERM)?))
    }

    #[track_caller]
    fn of_found(store: &Store, terms: Terms) -> Self {
        match borrowed_once(&terms) {
            Ok(access) => Self::of(store, terms, access, Vec::new()),
            Err(twice) => borrowed_twice::<D>(store, twice),
        }
    }

    /// Gives borrows of the source queries to the filtered entity in this query's data, if there is one. The filtered entity may
    /// read components that the other terms do not write, and write components that the other terms do not borrow. The access of
    /// the query then includes these borrows.
    pub(super) fn give_borrows_of(&mut self, borrowed: &FilteredAccess) {
        let mut given = FilteredAccess::default();
        for id in borrowed.borrowed().unwrap_or_default() {
            if borrowed.writes(id) && !self.access.touches(id) {
                given.add_write(id);
            } else if !self.access.writes(id) {
                given.add_read(id);
            }
        }
        if D::Terms::grant_access(&mut self.cache.data, &given) {
            self.access.add_borrows_of(&given);
        }
    }

    /// Creates the state of a nested query. The outer query declares the borrows and the change tracking of the nested query.
    pub(super) fn of_nested(store: &Store, mut terms: Terms) -> Self {
        matching::exclude_disabled(&mut terms, &store.structure.archetypes.components, 0);
        let access = terms.all().access();
        Self::of(store, terms, access, Vec::new())
    }

    fn of(store: &Store, terms: Terms, access: FilteredAccess, watches: Vec<TrackingGuard>) -> Self {
        let (matcher, drivers) = TableMatcher::new(store, terms);
        let terms = &matcher.terms;
        let mut cache: CacheOf<D::Terms, F::Terms> = Cache {
            world: store.id(),
            generation: 0,
            epoch: store.structure.archetypes.tables.epoch(),
            seen: 0,
            data: D::Terms::state(terms.data()),
            filter: F::Terms::state(terms.filter()),
            matches: Vec::new(),
            by_table: Vec::new(),
            only: (TableId::UNUSED, MaybeUninit::uninit()),
            drivers,
        };
        if D::Terms::FACTS.nests {
            D::Terms::update(&mut cache.data, store);
        }
        Self { cache, matcher, access, watches, marker: PhantomData }
    }

    /// Converts into the state of another query type that has the same terms.
    pub(crate) fn with_same_terms<E, G>(self) -> QueryState<E, G>
    where
        E: QueryData<Terms = D::Terms>,
        G: QueryFilter<Terms = F::Terms>,
    {
        let Self { cache, matcher, access, watches, marker: _ } = self;
        QueryState { cache, matcher, access, watches, marker: PhantomData }
    }

    /// Returns the terms: what the query reads, checks and demands.
    #[cfg(test)]
    pub(crate) fn terms(&self) -> &Terms {
        &self.matcher.terms
    }

    /// Returns the components that the query reads and writes.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.query::<&Health>().access().touches(id));
    /// assert!(!world.query::<Has<Health>>().access().touches(id));
    /// ```
    #[must_use]
    pub fn access(&self) -> &FilteredAccess {
        &self.access
    }

    /// Returns the number of tables that the query matched when it was last used.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Poisoned;
    /// # let mut world = World::new();
    /// world.spawn(Health(1));
    /// world.spawn((Health(2), Poisoned)); // Other components, another table.
    /// let mut query = world.query::<&Health>();
    /// assert_eq!(query.iter(&world).count(), 2);
    /// assert_eq!(query.matched_tables(), 2);
    /// ```
    #[must_use]
    pub fn matched_tables(&self) -> usize {
        self.cache.matches.len()
    }

    /// Whether rows of a matched table have to be checked one by one.
    pub(crate) const PER_ROW: bool = D::Terms::PER_ROW || F::Terms::PER_ROW;

    /// Returns the components whose change ticks of single rows the query reads or sets.
    pub(crate) fn ticked(&self) -> Vec<ComponentId> {
        self.matcher.ticked()
    }

    /// Returns the current number of rows in the matched tables, or the size of the smallest sparse storage that contains all
    /// matches if that is less. Returns 0 for another store. `O(tables)`.
    pub(crate) fn rows(&self, store: &Store) -> usize {
        if !self.cache.is_of(store) {
            return 0;
        }
        self.matcher.rows(store, &self.cache.drivers)
    }

    /// # Panics
    ///
    /// If the state was made for another store.
    #[inline]
    pub(crate) fn expect_world(&self, store: &Store) {
        if !self.cache.is_of(store) {
            self.wrong_world(store);
        }
    }

    /// Limits the matched tables to the tables that another query matches.
    pub(crate) fn keep_within<E: QueryData, G: QueryFilter>(&mut self, other: &QueryState<E, G>) {
        self.matcher.keep_within(&other.matcher);
        self.cache.look_again();
    }

    /// Replaces the matches: keeps those matching tables for which `is_meant` returns true. They stay valid until the tables
    /// change.
    pub(crate) fn match_tables(&mut self, store: &Store, is_meant: impl Fn(TableId) -> bool) {
        self.cache.look_again();
        let tables = store.structure.archetypes.tables.iter();
        let found = tables.filter(|table| is_meant(table.id()) && self.matcher.tables.matches(table));
        found.for_each(|table| self.cache.add(D::Terms::column(&self.cache.data, table), table.id()));
    }

    /// Checks the tables that are new since the last update. Afterwards the cache is valid for the current tables of the store.
    #[inline]
    pub(crate) fn update(&mut self, store: &Store) {
        self.expect_world(store);
        self.update_known(store);
    }

    /// Returns whether the state belongs to this store and has seen all its tables.
    pub(super) fn is_up_to_date(&self, store: &Store) -> bool {
        self.cache.is_of(store) && self.cache.generation == store.structure.archetypes.tables.generation()
    }

    /// Like [`update`](Self::update), but the state is known to belong to this store.
    #[inline]
    pub(crate) fn update_known(&mut self, store: &Store) {
        debug_assert!(self.cache.is_of(store), "a query is used on another world");
        if self.cache.generation != store.structure.archetypes.tables.generation() {
            self.look_at_new_tables(store);
        }
    }

    #[cold]
    #[inline(never)]
    fn look_at_new_tables(&mut self, store: &Store) {
        let tables = &store.structure.archetypes.tables;
        let Self { cache, matcher, .. } = self;
        if matcher.update_disabling(&store.structure.archetypes.components) || cache.epoch != tables.epoch() {
            // The set of matching tables changed, or tables were removed and the others renumbered: the cache is invalid.
            cache.look_again();
            cache.epoch = tables.epoch();
        }
        matcher
            .visit_from(tables, cache.seen, &mut |table| cache.add(D::Terms::column(&cache.data, table), table.id()));
        cache.seen = tables.iter().len();
        cache.generation = tables.generation();
        if D::Terms::FACTS.nests {
            D::Terms::update(&mut self.cache.data, store);
        }
    }

    #[cold]
    fn wrong_world(&self, store: &Store) -> ! {
        panic!(
            "query `{}` belongs to world {} and was used with world {}: make one for each world",
            type_name::<D>(),
            self.cache.world,
            store.id(),
        );
    }
}

/// Returns the access of the terms. The error is the component that the terms borrow twice, at least once mutably.
fn borrowed_once(terms: &Terms) -> Result<FilteredAccess, ComponentConflict> {
    let access = terms.all().access();
    access.own_conflict().or_else(|| access.nested_conflict()).map_or(Ok(access), Err)
}

#[cold]
#[track_caller]
fn borrowed_twice<D>(store: &Store, twice: ComponentConflict) -> ! {
    panic!(
        "query `{}` borrows {} twice, once mutably: one entity's value cannot be both",
        type_name::<D>(),
        twice.text(&store.structure.archetypes.components),
    );
}

impl_debug_as_struct! {
    [D: QueryData, F: QueryFilter] QueryState<D, F>, "QueryState", |this| {
        data: type_name::<D>(),
        filter: type_name::<F>(),
        matched_tables: this.cache.matches.len()
    } finish;
}
