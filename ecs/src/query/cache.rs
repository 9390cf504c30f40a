//! Which tables a query matches, remembered between its uses.

use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::data::QueryData;
use super::fetch::{ContiguousFetch, Fetch};
use super::filter::{FilterTerms, QueryFilter};
use crate::access::FilteredAccess;
use crate::component::ComponentId;
use crate::const_access::check_query;
use crate::entity::TableId;
use crate::store::{Store, WorldId};

/// A table that a query matches.
#[derive(Clone, Copy)]
pub(crate) struct Match<C> {
    pub(crate) table: TableId,
    pub(crate) column: C,
}

/// The matched tables. It depends on what is remembered, not on who uses it, so that a query and its read-only version
/// have the same.
pub(crate) struct Cache<D, C, F> {
    world: WorldId,
    /// Of the tables, when they were last looked at.
    generation: u64,
    /// Of the tables: what is known of a table is true in this epoch only.
    epoch: u64,
    /// How many tables have been looked at.
    seen: usize,
    pub(crate) data: D,
    pub(crate) filter: F,
    pub(crate) matches: Vec<Match<C>>,
    /// By table: what the match knows, for finding single entities. Ends with the last match.
    by_table: Vec<Option<C>>,
    /// The sparse storages that every matched entity is in.
    pub(crate) drivers: Vec<u32>,
}

/// The cache of a query with these terms.
pub(crate) type CacheOf<D, F> = Cache<<D as Fetch>::State, <D as Fetch>::Column, <F as FilterTerms>::State>;

impl<D, C: Copy, F> Cache<D, C, F> {
    /// What is known of each table: `None` if it does not match, and for those behind the last match nothing.
    #[inline]
    pub(crate) fn by_table(&self) -> &[Option<C>] {
        &self.by_table
    }

    /// Which of the matches a table is.
    #[inline]
    pub(crate) fn match_of(&self, table: TableId) -> Option<Match<C>> {
        let column = self.by_table.get(table.index()).copied().flatten()?;
        Some(Match { table, column })
    }

    fn is_of(&self, store: &Store) -> bool {
        self.world == store.id()
    }
}

/// A query that exists outside of systems: it remembers which tables it matches.
///
/// Made by [`World::query`](crate::world::World::query). Using it costs one comparison if the world has no new tables,
/// and otherwise `O(new tables)`; after [`World::shrink_to_fit`](crate::world::World::shrink_to_fit) all tables are new.
///
/// # Panics
///
/// Every method panics if it is given another world than the one that the state was made for.
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
pub struct QueryState<D: QueryData, F: QueryFilter = ()> {
    pub(crate) cache: CacheOf<D::Terms, F::Terms>,
    access: FilteredAccess,
    marker: PhantomData<fn() -> (D, F)>,
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// # Panics
    ///
    /// If the query borrows a component twice, once mutably, and the compiler could not tell: it can unless the component
    /// has type parameters.
    pub(crate) fn new(store: &mut Store) -> Self {
        Self::try_new(store).unwrap_or_else(|twice| borrowed_twice::<D>(store, twice))
    }

    /// To be named where a user names the query: there the compiler says what is wrong with it.
    pub(crate) const BORROWS_AGREE: () = check_query(&D::Terms::ACCESS, &F::Terms::ACCESS);

    /// The state, or the component that the query borrows twice, once mutably.
    pub(crate) fn try_new(store: &mut Store) -> Result<Self, ComponentId> {
        let data = D::Terms::init(store);
        let filter = F::Terms::init(store);
        Self::with_states(store, data, filter)
    }

    /// The state, if all components are registered already.
    pub(crate) fn find(store: &Store) -> Option<Self> {
        let data = D::Terms::find(store)?;
        let filter = F::Terms::find(store)?;
        Some(Self::with_states(store, data, filter).unwrap_or_else(|twice| borrowed_twice::<D>(store, twice)))
    }

    fn with_states(
        store: &Store,
        data: <D::Terms as Fetch>::State,
        filter: <F::Terms as FilterTerms>::State,
    ) -> Result<Self, ComponentId> {
        let mut access = FilteredAccess::default();
        D::Terms::access(&data, &mut access);
        F::Terms::access(&filter, &mut access);
        if let Some(twice) = access.own_conflict() {
            return Err(twice);
        }
        let mut drivers = Vec::new();
        D::Terms::required_sparse(&data, &mut |storage| drivers.push(storage));
        F::Terms::required_sparse(&filter, &mut |storage| drivers.push(storage));
        let cache = Cache {
            world: store.id(),
            generation: 0,
            epoch: store.archetypes.tables.epoch(),
            seen: 0,
            data,
            filter,
            matches: Vec::new(),
            by_table: Vec::new(),
            drivers,
        };
        Ok(Self { cache, access, marker: PhantomData })
    }

    /// What the query borrows.
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

    /// How many tables the query matched when it was last used.
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

    /// Whether rows of a matched table have to be asked one by one.
    pub(crate) const PER_ROW: bool = D::Terms::PER_ROW || F::Terms::PER_ROW;

    /// The components of which single rows tell when they were changed, or are told that they are.
    pub(crate) fn ticked(&self) -> Vec<ComponentId>
    where
        D::Terms: ContiguousFetch,
    {
        let mut all = Vec::new();
        D::Terms::ticked(&self.cache.data, &mut |component| all.push(component));
        all
    }

    /// How many rows there are at present in the tables that the query matches; but no more than there are entities in the
    /// sparse storages that all matches are in. `O(tables)`; 0 for another store.
    pub(crate) fn rows(&self, store: &Store) -> usize {
        let Cache { data, filter, drivers, .. } = &self.cache;
        if !self.cache.is_of(store) {
            return 0;
        }
        let matched =
            |table: &&crate::table::Table| F::Terms::matches(filter, table) && D::Terms::column(data, table).is_some();
        let in_tables: usize = store.archetypes.tables.iter().filter(matched).map(crate::table::Table::len).sum();
        drivers.iter().map(|driver| store.sparse[*driver as usize].len()).fold(in_tables, usize::min)
    }

    /// Looks at the tables that are new since the last time. Afterwards everything that the cache knows is true of the
    /// store's tables of now.
    #[inline]
    pub(crate) fn update(&mut self, store: &Store) {
        if !self.cache.is_of(store) {
            self.wrong_world(store);
        }
        if self.cache.generation != store.archetypes.tables.generation() {
            self.look_at_new_tables(store);
        }
    }

    /// As [`update`](Self::update), where it is known that the state was made for this store.
    #[inline]
    pub(crate) fn update_known(&mut self, store: &Store) {
        debug_assert!(self.cache.is_of(store), "a query is used on another world");
        if self.cache.generation != store.archetypes.tables.generation() {
            self.look_at_new_tables(store);
        }
    }

    #[cold]
    #[inline(never)]
    fn look_at_new_tables(&mut self, store: &Store) {
        let cache = &mut self.cache;
        if cache.epoch != store.archetypes.tables.epoch() {
            // Tables were removed and the others have new numbers: nothing of what is known is true any more.
            cache.matches = Vec::new();
            cache.by_table = Vec::new();
            cache.seen = 0;
            cache.epoch = store.archetypes.tables.epoch();
        }
        for table in store.archetypes.tables.iter().skip(cache.seen) {
            if !F::Terms::matches(&cache.filter, table) {
                continue;
            }
            let Some(column) = D::Terms::column(&cache.data, table) else { continue };
            cache.by_table.resize(table.id().index(), None);
            cache.by_table.push(Some(column));
            cache.matches.push(Match { table: table.id(), column });
        }
        cache.seen = store.archetypes.tables.iter().len();
        cache.generation = store.archetypes.tables.generation();
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

#[cold]
fn borrowed_twice<D>(store: &Store, twice: ComponentId) -> ! {
    panic!(
        "query `{}` borrows component `{}` twice, once mutably: one entity's value cannot be both",
        type_name::<D>(),
        store.archetypes.components.name(twice),
    );
}

impl<D: QueryData, F: QueryFilter> fmt::Debug for QueryState<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryState")
            .field("data", &type_name::<D>())
            .field("filter", &type_name::<F>())
            .field("matched_tables", &self.cache.matches.len())
            .finish()
    }
}
