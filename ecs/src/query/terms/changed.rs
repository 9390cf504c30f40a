//! Filters on changes: `Added<T>` and `Changed<T>`.
//!
//! Changes are found as cheaply as possible. Tables without changes are skipped. If there is a change log, it lists the rows.
//! Without a log, groups of rows without changes are skipped.
//!
//! Tests: tests/changes/change_detection/filters.rs

use core::marker::PhantomData;

use super::source::{TermState, is_sparse};
use crate::access::term::{ConstTerm, Term, Usage};
use crate::component::{Component, TrackingRequest};
use crate::entity::Entity;
use crate::query::fetch::{Rows, Sharing};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::storage::column::Column;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tick::RunTicks;
use crate::storage::tracking::{LoggedRows, RowTicks, TickKind, Tracking};
use crate::structure::cell::StoreCell;

/// Filter: the component was added since the last run of the system. In the first run of the system, all components count as added.
///
/// A component is added when an entity is spawned with the component, when the component is inserted into an entity that lacks it,
/// and when an entity is moved from another world. See the page on [change detection](crate::change_detection).
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
///
/// fn greet(new: Query<Entity, Added<Enemy>>) -> usize {
///     new.iter().count()
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Enemy, Enemy]);
/// let mut schedule = Schedule::default();
/// schedule.add_systems(greet.map(|new: usize| assert!(new == 2)));
/// schedule.run(&mut world);
/// ```
///
/// `Added<Pairs<R>>` matches entities that have become the source of a pair of a [`Relation`](crate::relation::Relation):
/// see [`Changed`].
#[doc(alias("Inserted", "OnAdd"))]
pub struct Added<C>(PhantomData<fn() -> C>);

/// Filter: the component was added or changed since the last run of the system. In the first run of the system, all components
/// count as changed.
///
/// The page on [change detection](crate::change_detection) describes which operations count as changes. The cost is proportional to
/// the number of changed rows, not to the number of all rows. If most rows have changed, all ticks are scanned.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let [hurt, _] = [3, 4].map(|points| world.spawn(Health(points)).id());
/// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
/// assert_eq!(changed.iter(&world).count(), 2);
/// world.clear_trackers();
/// world.get_mut::<Health>(hurt).unwrap().0 -= 1;
/// assert_eq!(changed.single(&world), Ok(hurt));
/// ```
///
/// # Pairs
///
/// With [`Pairs<R>`](crate::query::Pairs) in place of a component, the filter matches entities that are the source of a new or
/// changed pair of a [`Relation`](crate::relation::Relation): a pair that was created, or whose value was changed, since the last
/// run. With [`PairsTo<R>`](crate::query::PairsTo), the entity is the target of such a pair. The cost is one check of each pair of
/// the entities that the other terms match. The removal of a pair is not a change; see
/// [`RemovedRelations`](crate::event::RemovedRelations). To find the changed pairs of an entity, use `Ref`;
/// [`#[system(pairs = R, changed(R))]`](macro@crate::system) runs for single pairs.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Relation)]
/// struct Hunting {
///     hunger: u32,
/// }
///
/// let mut world = World::new();
/// let [wolf, fox, rabbit] = [(); 3].map(|()| world.spawn_empty().id());
/// world.relate(wolf, Hunting { hunger: 3 }, rabbit);
/// world.relate(fox, Hunting { hunger: 5 }, rabbit);
/// let mut hunters = world.query_filtered::<Entity, Changed<Pairs<Hunting>>>();
/// let mut hunted = world.query_filtered::<Entity, Added<PairsTo<Hunting>>>();
/// assert_eq!(hunters.iter(&world).count(), 2);
/// assert_eq!(hunted.single(&world), Ok(rabbit));
/// world.clear_trackers();
/// world.get_pair_mut::<Hunting>(fox, rabbit).unwrap().hunger += 1;
/// assert_eq!(hunters.single(&world), Ok(fox));
/// assert!(hunted.is_empty(&world));
/// ```
#[doc(alias("DidChange", "SetChangedVersionFilter", "detect_changes", "maybe_changed", "ChangeTracker"))]
pub struct Changed<C>(PhantomData<fn() -> C>);

/// The rows of a table and their ticks, to check which rows are new.
#[derive(Clone, Copy)]
pub struct TickScan<'w> {
    /// Whether the table has the component. If the filter is a member of an `Or`, tables without the component are visited, too.
    present: bool,
    tracking: Option<&'w Tracking>,
    storage: Option<&'w SparseStorage>,
    which: TickKind,
    run_ticks: RunTicks,
}

impl<'w> TickScan<'w> {
    #[inline]
    pub(crate) fn new(
        cell: StoreCell<'w>,
        term: TermState,
        table: &'w Table,
        which: TickKind,
        is_sparse: bool,
    ) -> Self {
        let storage = is_sparse.then(|| term.storage(cell));
        let column: Option<&Column> = match storage {
            Some(storage) => Some(storage.column()),
            None => table.column_index(term.id()).map(|index| table.column(index)),
        };
        let (run_ticks, tracking) = (cell.run_ticks(), column.and_then(Column::tracking));
        match tracking {
            Some(tracking) => tracking.note_consumer(run_ticks.this_run),
            None => column.and_then(Column::tracking_request).into_iter().for_each(TrackingRequest::request_tracking),
        }
        Self { present: column.is_some(), tracking, storage, which, run_ticks }
    }

    /// Returns the ticks of the rows, if there are any and the component is stored in tables.
    #[inline]
    fn ticks<C: Component>(self) -> Option<&'w RowTicks> {
        if is_sparse::<C>() { None } else { self.tracking.map(|tracking| tracking.ticks(self.which)) }
    }

    /// Returns whether any row may be new.
    #[inline]
    pub(crate) fn any(self) -> bool {
        self.present && self.tracking.is_none_or(|tracking| tracking.any_new(self.which, self.run_ticks))
    }

    /// Returns whether a row is new. Rows without ticks count as new.
    #[inline]
    pub(crate) fn is_new(self, entity: Entity, row: usize) -> bool {
        let row = match self.storage {
            Some(storage) if !storage.contains(entity.index()) => return false,
            Some(storage) => storage.tick_row(entity.index()),
            None => Some(row),
        };
        self.present
            && self.tracking.zip(row).is_none_or(|(tracking, row)| tracking.is_new(self.which, row, self.run_ticks))
    }
}

/// Implements both filters.
macro_rules! changes {
    ($($Filter:ident),*) => {
        $(
            impl_debug_as_type_name! { [C] $Filter<C>; }

            impl<C: Component> QueryFilter for $Filter<C> {
                type Terms = Self;
            }

            // SAFETY: a table with a column for the component, or an entity in the storage, has the component.
            unsafe impl<C: Component> FilterTerms for $Filter<C> {
                type State = TermState;
                type TableFetch<'w> = TickScan<'w>;

                const TERM: ConstTerm = ConstTerm::of::<C>(Usage::$Filter);

                fn state(term: Term<'_>) -> TermState {
                    TermState::of(term)
                }

                #[inline]
                fn visit_table<'w>(cell: StoreCell<'w>, state: &TermState, table: &'w Table) -> TickScan<'w> {
                    TickScan::new(cell, *state, table, TickKind::$Filter, is_sparse::<C>())
                }

                #[inline]
                fn contains(ready: TickScan<'_>, entity: Entity, row: usize) -> bool {
                    ready.is_new(entity, row)
                }

                #[inline]
                fn any(ready: TickScan<'_>) -> bool {
                    ready.any()
                }

                #[inline]
                fn skip(ready: TickScan<'_>, row: usize, end: usize) -> usize {
                    ready.ticks::<C>().map_or(row, |ticks| ticks.skip(row, end, ready.run_ticks))
                }

                #[inline]
                unsafe fn mask(ready: TickScan<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                    match (ready.ticks::<C>(), sharing) {
                        (Some(ticks), Sharing::Rows) => ticks.mask(row, ready.run_ticks),
                        // SAFETY: forwarded: no other query has rows of the table, and this one changes none of the group during
                        // the call.
                        (Some(ticks), Sharing::Nothing) => unsafe { ticks.mask_unshared(row, ready.run_ticks) },
                        // SAFETY: forwarded: the rows exist in the table, which has not changed.
                        (None, _) => unsafe { rows.mask(row, count, |entity, row| ready.is_new(entity, row)) },
                    }
                }

                #[inline]
                unsafe fn end_of_matching(ready: TickScan<'_>, _: Rows, row: usize, end: usize, sharing: Sharing) -> usize {
                    match (ready.ticks::<C>(), sharing) {
                        (Some(ticks), Sharing::Rows) => ticks.end_of_new(row, end, ready.run_ticks),
                        // SAFETY: forwarded, for the groups of all of these rows: no other query has rows of the table, and this
                        // one changes none of them during the call.
                        (Some(ticks), Sharing::Nothing) => unsafe { ticks.end_of_new_unshared(row, end, ready.run_ticks) },
                        (None, _) if ready.present && !is_sparse::<C>() => end,
                        (None, _) => row,
                    }
                }

                #[inline]
                fn logged(ready: Self::TableFetch<'_>) -> Option<LoggedRows<'_>> {
                    if is_sparse::<C>() { None } else { ready.tracking.and_then(|tracking| tracking.log(ready.which, ready.run_ticks)) }
                }

                fn logged_sparse<'w>(cell: StoreCell<'w>, state: &TermState) -> Option<(&'w SparseStorage, LoggedRows<'w>)> {
                    if !is_sparse::<C>() {
                        return None;
                    }
                    let storage = state.storage(cell);
                    let tracking = storage.column().tracking()?;
                    tracking.note_consumer(cell.run_ticks().this_run);
                    Some((storage, tracking.log(TickKind::$Filter, cell.run_ticks())?))
                }
            }
        )*
    };
}

changes!(Added, Changed);
