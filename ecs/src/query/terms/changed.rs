//! Filters on changes: `Added<T>` and `Changed<T>`.
//!
//! What is new is found by the shortest way there is: tables in which nothing is new are left out, a log leads straight to
//! the rows, and without one groups of rows without changes are passed over.

use core::marker::PhantomData;

use super::source::{TermState, is_sparse};
use crate::cell::StoreCell;
use crate::column::Column;
use crate::component::{Component, TrackingRequest};
use crate::entity::Entity;
use crate::query::fetch::{Rows, Sharing};
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::term::{ConstTerm, Term, Usage};
use crate::tick::RunTicks;
use crate::tracking::{LoggedRows, RowTicks, Tracking, Which};

/// Filter: the component was added since the system ran last, or ever if this is its first run.
///
/// To spawn an entity with it, to insert it where it was not, and to move an entity in from another world adds it. See the
/// page on [change detection](crate::change_detection).
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

/// Filter: the component was added or changed since the system ran last, or ever if this is its first run.
///
/// What counts as a change, and what does not, is said on the page on [change detection](crate::change_detection). It costs
/// what has changed, not what there is; and if most has changed, a look at the ticks of all.
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
/// With [`Pairs<R>`](crate::query::Pairs) in place of a component it matches entities of whose pairs of a
/// [`Relation`](crate::relation::Relation) one was made since, or has got another value: of those of which the entity is the source. With
/// [`PairsTo<R>`](crate::query::PairsTo) it is the target. It costs a look at each pair of the entities that the other terms match. That a pair
/// has gone is no change: for that there is [`RemovedRelations`](crate::event::RemovedRelations). What is new of the pairs of an
/// entity `Ref` tells, and [`#[system(pairs = R, changed(R))]`](macro@crate::system) runs for single pairs.
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

/// The rows of a table, to be asked whether they are new.
#[derive(Clone, Copy)]
pub struct Scan<'w> {
    /// Whether the table has the component: in an `Or` it need not.
    present: bool,
    tracking: Option<&'w Tracking>,
    storage: Option<&'w SparseStorage>,
    which: Which,
    run_ticks: RunTicks,
}

impl<'w> Scan<'w> {
    #[inline]
    pub(crate) fn new(cell: StoreCell<'w>, term: TermState, table: &'w Table, which: Which, is_sparse: bool) -> Self {
        let storage = is_sparse.then(|| term.storage(cell));
        let column: Option<&Column> = match storage {
            Some(storage) => Some(storage.column()),
            None => table.column_index(term.id()).map(|index| table.column(index)),
        };
        let (run_ticks, tracking) = (cell.run_ticks(), column.and_then(Column::tracking));
        match tracking {
            Some(tracking) => tracking.look(run_ticks.this_run),
            None => column.and_then(Column::tracking_request).into_iter().for_each(TrackingRequest::ask),
        }
        Self { present: column.is_some(), tracking, storage, which, run_ticks }
    }

    /// The ticks of the rows, if there are any and the rows are those of the table.
    #[inline]
    fn ticks<C: Component>(self) -> Option<&'w RowTicks> {
        if is_sparse::<C>() { None } else { self.tracking.map(|tracking| tracking.ticks(self.which)) }
    }

    /// Whether any row may be new.
    #[inline]
    pub(crate) fn any(self) -> bool {
        self.present && self.tracking.is_none_or(|tracking| tracking.any_new(self.which, self.run_ticks))
    }

    /// What is not known counts as new.
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

/// What both filters have in common.
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
                type TableFetch<'w> = Scan<'w>;

                const TERM: ConstTerm = ConstTerm::of::<C>(Usage::$Filter);

                fn state(term: Term<'_>) -> TermState {
                    TermState::of(term)
                }

                #[inline]
                fn visit_table<'w>(cell: StoreCell<'w>, state: &TermState, table: &'w Table) -> Scan<'w> {
                    Scan::new(cell, *state, table, Which::$Filter, is_sparse::<C>())
                }

                #[inline]
                fn contains(ready: Scan<'_>, entity: Entity, row: usize) -> bool {
                    ready.is_new(entity, row)
                }

                #[inline]
                fn any(ready: Scan<'_>) -> bool {
                    ready.any()
                }

                #[inline]
                fn skip(ready: Scan<'_>, row: usize, end: usize) -> usize {
                    ready.ticks::<C>().map_or(row, |ticks| ticks.skip(row, end, ready.run_ticks))
                }

                #[inline]
                unsafe fn mask(ready: Scan<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                    match (ready.ticks::<C>(), sharing) {
                        (Some(ticks), Sharing::Rows) => ticks.mask(row, ready.run_ticks),
                        // SAFETY: no other query has rows of the table, and this one changes none of the group meanwhile, as the caller
                        // promises.
                        (Some(ticks), Sharing::Nothing) => unsafe { ticks.mask_unshared(row, ready.run_ticks) },
                        // SAFETY: the caller's promise.
                        (None, _) => unsafe { rows.mask(row, count, |entity, row| ready.is_new(entity, row)) },
                    }
                }

                #[inline]
                unsafe fn end_of_matching(ready: Scan<'_>, _: Rows, row: usize, end: usize, sharing: Sharing) -> usize {
                    match (ready.ticks::<C>(), sharing) {
                        (Some(ticks), Sharing::Rows) => ticks.end_of_new(row, end, ready.run_ticks),
                        // SAFETY: as for `mask`, for the groups of all of these rows.
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
                    tracking.look(cell.run_ticks().this_run);
                    Some((storage, tracking.log(Which::$Filter, cell.run_ticks())?))
                }
            }
        )*
    };
}

changes!(Added, Changed);
