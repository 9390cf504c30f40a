//! Spawn ticks: `Spawned` and `SpawnDetails`.
//!
//! Tests: tests/changes/spawned.rs

use crate::access::term::{ConstTerm, Term};
use crate::entity::Entity;
use crate::query::data::fetched_items;
use crate::query::fetch::{Fetch, ReadOnlyFetch, Rows};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::storage::table::Table;
use crate::storage::tick::{RunTicks, Tick};
use crate::storage::tracking::Spawns;
use crate::structure::cell::StoreCell;
use crate::util::origin::Origin;

/// Filter: the entity was spawned since the last run of the system. In the first run of the system, all entities count as spawned.
///
/// A world tracks spawns once a query with this term exists, with 4 bytes per entity index. The filter checks each entity that the
/// other terms of the query match, unless no entity was spawned. Entities that exist when the first such query is created count as
/// spawned at that time. An entity that is moved from another world counts as spawned when it is moved.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::Spawned;
/// # #[derive(Component)] struct Enemy;
///
/// fn greet(new: Query<Entity, (With<Enemy>, Spawned)>) -> usize {
///     new.iter().count()
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Enemy, Enemy]);
/// let mut schedule = Schedule::default();
/// schedule.add_systems(greet.map(|new: usize| println!("{new} new ones")));
/// schedule.run(&mut world);
/// let greet = world.register_system(greet);
/// assert_eq!(world.run_system(greet).unwrap(), 2);
/// world.spawn(Enemy);
/// assert_eq!(world.run_system(greet).unwrap(), 1);
/// ```
#[derive(Debug)]
#[doc(alias("Added"))]
pub struct Spawned;

impl QueryFilter for Spawned {
    type Terms = Self;
}

/// The spawn ticks, while a table is visited.
#[derive(Clone, Copy)]
pub struct SpawnSource<'w> {
    spawns: Option<&'w Spawns>,
    run_ticks: RunTicks,
}

impl<'w> SpawnSource<'w> {
    fn of(cell: StoreCell<'w>) -> Self {
        Self { spawns: cell.store().events.spawns.as_ref(), run_ticks: cell.run_ticks() }
    }
}

// SAFETY: the term makes no statement about components; rows are checked.
unsafe impl FilterTerms for Spawned {
    type State = ();
    type TableFetch<'w> = SpawnSource<'w>;

    const TERM: ConstTerm = ConstTerm::Spawned;

    fn state(_: Term<'_>) {}

    #[inline]
    fn visit_table<'w>(cell: StoreCell<'w>, (): &(), _: &'w Table) -> SpawnSource<'w> {
        SpawnSource::of(cell)
    }

    #[inline]
    fn contains(ready: SpawnSource<'_>, entity: Entity, _: usize) -> bool {
        ready.spawns.is_none_or(|spawns| ready.run_ticks.is_new(spawns.get(entity.index())))
    }

    #[inline]
    fn any(ready: SpawnSource<'_>) -> bool {
        ready.spawns.is_none_or(|spawns| spawns.has_new(ready.run_ticks))
    }
}

/// In a query: when and by what an entity was spawned. It matches every entity.
///
/// See [`Spawned`] for when a world begins to track spawns.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::SpawnDetails;
/// # #[derive(Component)] struct Enemy;
///
/// fn tell(all: Query<(Entity, SpawnDetails), With<Enemy>>) {
///     for (entity, spawn) in &all {
///         let new = if spawn.is_spawned() { "new " } else { "" };
///         println!("{new}{entity}, spawned by {}", spawn.spawned_by());
///     }
/// }
/// # let mut world = World::new();
/// # world.spawn(Enemy);
/// # world.run_system_once(tell).unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpawnDetails {
    tick: Tick,
    by: Origin,
    run_ticks: RunTicks,
}

impl SpawnDetails {
    /// Returns whether the entity was spawned since the last run of the system.
    #[must_use]
    pub fn is_spawned(self) -> bool {
        self.run_ticks.is_new(self.tick)
    }

    /// Returns whether the entity was spawned after another tick.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::query::SpawnDetails;
    ///
    /// let mut world = World::new();
    /// let mut all = world.query::<SpawnDetails>();
    /// let before = world.increment_change_tick();
    /// world.spawn_empty();
    /// assert!(all.single(&world).unwrap().is_spawned_after(before));
    /// ```
    #[must_use]
    pub fn is_spawned_after(self, other: Tick) -> bool {
        self.tick.is_newer_than(other, self.run_ticks.this_run)
    }

    /// Returns the tick at which the entity was spawned.
    #[must_use]
    pub fn spawn_tick(self) -> Tick {
        self.tick
    }

    /// Returns the code that spawned the entity. Only known with the feature `track_location`.
    #[must_use]
    pub fn spawned_by(self) -> Origin {
        self.by
    }
}

fetched_items! {
    [] SpawnDetails => SpawnDetailsTerm: Self, Self;
}

/// The term of `SpawnDetails`.
#[doc(hidden)]
pub struct SpawnDetailsTerm;

// SAFETY: borrows no component; every row has an entity. Spawn ticks are only read.
unsafe impl Fetch for SpawnDetailsTerm {
    type State = ();
    type TableFetch<'w> = (SpawnSource<'w>, StoreCell<'w>);
    type Item<'w> = SpawnDetails;
    type ReadOnly = Self;

    const TERM: ConstTerm = ConstTerm::SpawnDetails;

    fn state(_: Term<'_>) {}

    match_each_table!();

    #[inline]
    unsafe fn visit_table<'w>(cell: StoreCell<'w>, (): &(), (): (), _: &'w Table) -> Self::TableFetch<'w> {
        (SpawnSource::of(cell), cell)
    }

    #[inline]
    unsafe fn fetch_row<'w, const RECORDED: bool>(
        (source, cell): Self::TableFetch<'w>,
        rows: Rows,
        row: usize,
    ) -> Self::Item<'w> {
        // SAFETY: forwarded: the row exists.
        let entity = unsafe { rows.entity(row) };
        let tick = source.spawns.map_or(source.run_ticks.this_run, |spawns| spawns.get(entity.index()));
        let by = cell.store().structure.entities.entity_get_spawned_or_despawned_by(entity);
        SpawnDetails { tick, by, run_ticks: source.run_ticks }
    }
}

// SAFETY: `fetch_row` returns a copy.
unsafe impl ReadOnlyFetch for SpawnDetailsTerm {}
