//! What a query demands of an entity besides its data.

use alloc::vec::Vec;
use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::fetch::{Presence, Rows, Sharing, TermState, is_sparse};
use super::term::{Demand, Term};
use crate::access::FilteredAccess;
use crate::cell::Cell;
use crate::component::Component;
use crate::const_access::ConstAccess;
use crate::entity::Entity;
use crate::sparse::SparseStorage;
use crate::store::Store;
use crate::table::Table;
use crate::tracking::LoggedRows;

/// Which entities a query matches, besides those that lack its data: [`With`], [`Without`], [`Or`], tuples of up to 15
/// filters, all of which must hold, and structs with `#[derive(QueryFilter)]`, for which the same is true.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Enemy;
/// #[derive(Component)]
/// struct Burning;
/// #[derive(Component)]
/// struct Frozen;
///
/// let mut world = World::new();
/// world.spawn((Enemy, Burning));
/// world.spawn((Enemy, Frozen));
/// world.spawn(Enemy);
///
/// let mut hurt = world.query_filtered::<Entity, (With<Enemy>, Or<(With<Burning>, With<Frozen>)>)>();
/// assert_eq!(hurt.iter(&world).count(), 2);
/// let mut well = world.query_filtered::<Entity, (Without<Burning>, Without<Frozen>)>();
/// assert_eq!(well.iter(&world).count(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter: write `With<T>` or `Without<T>` of a component `T`",
    label = "not a filter",
    note = "a filter is `With<T>`, `Without<T>`, `Added<T>` or `Changed<T>` of a component `T`, `Or<(..)>`, a tuple of these, \
            or a struct with `#[derive(QueryFilter)]`"
)]
pub trait QueryFilter {
    /// How it is decided.
    #[doc(hidden)]
    type Terms: FilterTerms;
}

/// How filters are decided: first for a table, then, if need be, for each of its rows.
///
/// # Safety
///
/// - What `access` says that matched entities have or lack is true of every entity of which `matches` and (with
///   `PER_ROW`) `contains` say that it matches.
/// - `NAMES_SPARSE` is true if `access` demands or forbids any sparse component.
#[doc(hidden)]
pub unsafe trait FilterTerms: 'static {
    /// What is known once the query exists.
    type State: Clone + Send + Sync + 'static;
    /// What is known while a table is visited.
    type Ready<'w>: Copy;

    /// Whether rows of a matched table may differ, so that `contains` has to be asked.
    const PER_ROW: bool;
    /// Whether a sparse component is demanded or forbidden: then another query may change other rows of the same table.
    const NAMES_SPARSE: bool;
    /// What is known of the access when the program is compiled.
    const ACCESS: ConstAccess = ConstAccess::Nothing;

    /// Registers the components.
    fn init(store: &mut Store) -> Self::State;

    /// The state, if all components are registered.
    fn find(store: &Store) -> Option<Self::State>;

    /// What is demanded, for those who ask why a query matches what it matches.
    fn describe(store: &Store) -> Term;

    /// Adds what is demanded.
    fn access(state: &Self::State, access: &mut FilteredAccess);

    /// Calls `each` with every sparse storage that a matched entity must be in.
    fn required_sparse(state: &Self::State, each: &mut dyn FnMut(u32));

    /// Whether entities of the table can match.
    fn matches(state: &Self::State, table: &Table) -> bool;

    /// Gets a table ready.
    fn ready<'w>(cell: Cell<'w>, state: &Self::State, table: &'w Table) -> Self::Ready<'w>;

    /// Whether an entity of the table matches.
    fn contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool;

    /// Whether rows of an exact list match without being asked.
    const SOLE: bool = false;

    /// Whether any row of the table may match.
    #[inline]
    fn any(_: Self::Ready<'_>) -> bool {
        true
    }

    /// The first row from `row` on, which is a multiple of 64, that may match, rounded down to such a multiple; or `end`.
    #[inline]
    fn skip(_: Self::Ready<'_>, row: usize, _: usize) -> usize {
        row
    }

    /// A bit for each of `count` rows from `row` on, which is a multiple of 64, that matches; at most 64. The other bits mean
    /// nothing.
    ///
    /// # Safety
    ///
    /// - `ready` and `rows` are those of a table that has the rows and has not changed since. What `access` tells of is
    ///   allowed.
    /// - Unless the table is shared, no other thread changes values of rows of this group meanwhile.
    #[inline]
    unsafe fn mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
        let _ = sharing;
        if !Self::PER_ROW {
            // All rows are alike.
            // SAFETY: the caller promises that there is this row.
            return if Self::contains(ready, unsafe { rows.entity(row) }, row) { u64::MAX } else { 0 };
        }
        // SAFETY: the caller's promise.
        unsafe { rows.mask(row, count, |entity, row| Self::contains(ready, entity, row)) }
    }

    /// Rows of the table among which are all that match, if there is a list of such rows.
    #[inline]
    fn logged(_: Self::Ready<'_>) -> Option<LoggedRows<'_>> {
        None
    }

    /// Values of a sparse storage among which are those of all entities that match, if there is a list of such values.
    #[inline]
    fn logged_sparse<'w>(_: Cell<'w>, _: &Self::State) -> Option<(&'w SparseStorage, LoggedRows<'w>)> {
        None
    }
}

/// Filter: the entity has the component.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Component)] struct Burning;
/// # let mut world = World::new();
/// let enemy = world.spawn(Enemy).id();
/// world.spawn_empty();
/// let mut enemies = world.query_filtered::<Entity, With<Enemy>>();
/// assert_eq!(enemies.single(&world), Ok(enemy));
/// ```
pub struct With<C>(PhantomData<fn() -> C>);

/// Filter: the entity does not have the component.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Component)] struct Burning;
/// # let mut world = World::new();
/// let safe = world.spawn(Enemy).id();
/// world.spawn((Enemy, Burning));
/// let mut enemies = world.query_filtered::<Entity, (With<Enemy>, Without<Burning>)>();
/// assert_eq!(enemies.single(&world), Ok(safe));
/// ```
pub struct Without<C>(PhantomData<fn() -> C>);

/// Filter: at least one of the filters in a tuple holds, as in `Or<(With<A>, Without<B>)>`.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Enemy;
/// # #[derive(Component)] struct Burning;
/// # let mut world = World::new();
/// world.spawn(Enemy);
/// world.spawn(Burning);
/// world.spawn_empty();
/// let mut dangers = world.query_filtered::<Entity, Or<(With<Enemy>, With<Burning>)>>();
/// assert_eq!(dangers.iter(&world).count(), 2);
/// ```
pub struct Or<F>(PhantomData<fn() -> F>);

/// Markers have no value to show, only a name.
macro_rules! debug_as_name {
    ($($Marker:ident),*) => {
        $(impl<T> fmt::Debug for $Marker<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(type_name::<Self>())
            }
        })*
    };
}

debug_as_name!(With, Without, Or);

impl<C: Component> QueryFilter for With<C> {
    type Terms = Self;
}

impl<C: Component> QueryFilter for Without<C> {
    type Terms = Self;
}

// SAFETY: a table with a column for the component, or an entity in the storage, has the component.
unsafe impl<C: Component> FilterTerms for With<C> {
    type State = TermState;
    type Ready<'w> = Presence<'w>;

    const PER_ROW: bool = is_sparse::<C>();
    const NAMES_SPARSE: bool = is_sparse::<C>();
    const ACCESS: ConstAccess = ConstAccess::With(C::KEY);

    fn init(store: &mut Store) -> TermState {
        TermState::init::<C>(store)
    }

    fn find(store: &Store) -> Option<TermState> {
        TermState::find::<C>(store)
    }

    fn describe(store: &Store) -> Term {
        Term::one::<C>(store, "With<", ">", Demand::With)
    }

    fn access(state: &TermState, access: &mut FilteredAccess) {
        access.add_with(state.id());
    }

    fn required_sparse(state: &TermState, each: &mut dyn FnMut(u32)) {
        if is_sparse::<C>() {
            each(state.sparse());
        }
    }

    fn matches(state: &TermState, table: &Table) -> bool {
        is_sparse::<C>() || table.contains(state.id())
    }

    #[inline]
    fn ready<'w>(cell: Cell<'w>, state: &TermState, table: &'w Table) -> Presence<'w> {
        Presence::new::<C>(cell, *state, table)
    }

    #[inline]
    fn contains(ready: Presence<'_>, entity: Entity, _: usize) -> bool {
        ready.of(entity)
    }
}

// SAFETY: a table without a column for the component, or an entity that is not in the storage, lacks the component.
unsafe impl<C: Component> FilterTerms for Without<C> {
    type State = TermState;
    type Ready<'w> = Presence<'w>;

    const PER_ROW: bool = is_sparse::<C>();
    const NAMES_SPARSE: bool = is_sparse::<C>();
    const ACCESS: ConstAccess = ConstAccess::Without(C::KEY);

    fn init(store: &mut Store) -> TermState {
        TermState::init::<C>(store)
    }

    fn find(store: &Store) -> Option<TermState> {
        TermState::find::<C>(store)
    }

    fn describe(store: &Store) -> Term {
        Term::one::<C>(store, "Without<", ">", Demand::Without)
    }

    fn access(state: &TermState, access: &mut FilteredAccess) {
        access.add_without(state.id());
    }

    fn required_sparse(_: &TermState, _: &mut dyn FnMut(u32)) {}

    fn matches(state: &TermState, table: &Table) -> bool {
        is_sparse::<C>() || !table.contains(state.id())
    }

    #[inline]
    fn ready<'w>(cell: Cell<'w>, state: &TermState, table: &'w Table) -> Presence<'w> {
        Presence::new::<C>(cell, *state, table)
    }

    #[inline]
    fn contains(ready: Presence<'_>, entity: Entity, _: usize) -> bool {
        !ready.of(entity)
    }
}

/// What `Or` needs to know of a tuple of filters.
///
/// # Safety
///
/// - `any_matches` and `any_contains` are true where those of a member are.
#[doc(hidden)]
pub unsafe trait AnyOfTerms: FilterTerms {
    /// Whether entities of the table can match one of the members.
    fn any_matches(state: &Self::State, table: &Table) -> bool;

    /// Whether an entity matches one of the members.
    fn any_contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool;

    /// Whether any row of the table may match one of the filters.
    fn any_any(ready: Self::Ready<'_>) -> bool;

    /// As [`FilterTerms::mask`], for rows that match one of the filters.
    ///
    /// # Safety
    ///
    /// - As there.
    unsafe fn any_mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64;
}

impl<F: QueryFilter<Terms: AnyOfTerms>> QueryFilter for Or<F> {
    type Terms = Or<F::Terms>;
}

// SAFETY: nothing is said of what matched entities have or lack.
unsafe impl<F: AnyOfTerms> FilterTerms for Or<F> {
    type State = F::State;
    type Ready<'w> = F::Ready<'w>;

    const PER_ROW: bool = F::PER_ROW;
    const NAMES_SPARSE: bool = F::NAMES_SPARSE;
    const ACCESS: ConstAccess = ConstAccess::Optional(&F::ACCESS);

    fn init(store: &mut Store) -> F::State {
        F::init(store)
    }

    fn find(store: &Store) -> Option<F::State> {
        F::find(store)
    }

    fn describe(store: &Store) -> Term {
        Term::any("Or<", ">", F::describe(store))
    }

    fn access(state: &F::State, access: &mut FilteredAccess) {
        let mut inner = FilteredAccess::default();
        F::access(state, &mut inner);
        access.add_borrows_of(&inner);
    }

    fn required_sparse(_: &F::State, _: &mut dyn FnMut(u32)) {}

    fn matches(state: &F::State, table: &Table) -> bool {
        F::any_matches(state, table)
    }

    #[inline]
    fn ready<'w>(cell: Cell<'w>, state: &F::State, table: &'w Table) -> F::Ready<'w> {
        F::ready(cell, state, table)
    }

    #[inline]
    fn contains(ready: F::Ready<'_>, entity: Entity, row: usize) -> bool {
        F::any_contains(ready, entity, row)
    }

    #[inline]
    fn any(ready: F::Ready<'_>) -> bool {
        F::any_any(ready)
    }

    #[inline]
    unsafe fn mask(ready: F::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { F::any_mask(ready, rows, row, count, sharing) }
    }
}

impl QueryFilter for () {
    type Terms = ();
}

// SAFETY: nothing is said of what matched entities have or lack.
unsafe impl FilterTerms for () {
    type State = ();
    type Ready<'w> = ();

    const PER_ROW: bool = false;
    const NAMES_SPARSE: bool = false;

    fn init(_: &mut Store) {}

    fn find(_: &Store) -> Option<()> {
        Some(())
    }

    fn describe(_: &Store) -> Term {
        Term::all(Vec::new())
    }

    fn access((): &(), _: &mut FilteredAccess) {}

    fn required_sparse((): &(), _: &mut dyn FnMut(u32)) {}

    fn matches((): &(), _: &Table) -> bool {
        true
    }

    #[inline]
    fn ready<'w>(_: Cell<'w>, (): &(), _: &'w Table) {}

    #[inline]
    fn contains((): (), _: Entity, _: usize) -> bool {
        true
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: QueryFilter),*> QueryFilter for ($($T,)*) {
            type Terms = ($($T::Terms,)*);
        }

        // SAFETY: an entity that matches all members has and lacks what each of them says.
        unsafe impl<$($T: FilterTerms),*> FilterTerms for ($($T,)*) {
            type State = ($($T::State,)*);
            type Ready<'w> = ($($T::Ready<'w>,)*);

            const PER_ROW: bool = false $(|| $T::PER_ROW)*;
            const NAMES_SPARSE: bool = false $(|| $T::NAMES_SPARSE)*;
            const SOLE: bool = (false $(|| $T::SOLE)*) && 0 $(+ $T::PER_ROW as u32)* == 1;
            const ACCESS: ConstAccess = ConstAccess::Terms(&[$($T::ACCESS),*]);

            fn init(store: &mut Store) -> Self::State {
                ($($T::init(store),)*)
            }

            fn find(store: &Store) -> Option<Self::State> {
                Some(($($T::find(store)?,)*))
            }

            fn describe(store: &Store) -> Term {
                Term::all(alloc::vec![$($T::describe(store)),*])
            }

            fn access(state: &Self::State, access: &mut FilteredAccess) {
                $($T::access(&state.$at, access);)*
            }

            fn required_sparse(state: &Self::State, each: &mut dyn FnMut(u32)) {
                $($T::required_sparse(&state.$at, each);)*
            }

            fn matches(state: &Self::State, table: &Table) -> bool {
                true $(&& $T::matches(&state.$at, table))*
            }

            #[inline]
            fn ready<'w>(cell: Cell<'w>, state: &Self::State, table: &'w Table) -> Self::Ready<'w> {
                ($($T::ready(cell, &state.$at, table),)*)
            }

            #[inline]
            fn contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool {
                true $(&& $T::contains(ready.$at, entity, row))*
            }

            #[inline]
            fn any(ready: Self::Ready<'_>) -> bool {
                true $(&& $T::any(ready.$at))*
            }

            #[inline]
            fn skip(ready: Self::Ready<'_>, row: usize, end: usize) -> usize {
                row $(.max($T::skip(ready.$at, row, end)))*
            }

            #[inline]
            unsafe fn mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                let mut mask = u64::MAX;
                $(
                    if mask != 0 {
                        // SAFETY: the caller's promise, member by member.
                        mask &= unsafe { $T::mask(ready.$at, rows, row, count, sharing) };
                    }
                )*
                mask
            }

            #[inline]
            fn logged(ready: Self::Ready<'_>) -> Option<LoggedRows<'_>> {
                let mut shortest = None;
                $(
                    let logged = $T::logged(ready.$at);
                    if logged.is_some_and(|logged| shortest.is_none_or(|other: LoggedRows<'_>| logged.len() < other.len())) {
                        shortest = logged;
                    }
                )*
                shortest
            }

            fn logged_sparse<'w>(cell: Cell<'w>, state: &Self::State) -> Option<(&'w SparseStorage, LoggedRows<'w>)> {
                None $(.or_else(|| $T::logged_sparse(cell, &state.$at)))*
            }
        }

        // SAFETY: each is true where that of a member is.
        unsafe impl<$($T: FilterTerms),*> AnyOfTerms for ($($T,)*) {
            fn any_matches(state: &Self::State, table: &Table) -> bool {
                false $(|| $T::matches(&state.$at, table))*
            }

            #[inline]
            fn any_contains(ready: Self::Ready<'_>, entity: Entity, row: usize) -> bool {
                false $(|| $T::contains(ready.$at, entity, row))*
            }

            #[inline]
            fn any_any(ready: Self::Ready<'_>) -> bool {
                false $(|| $T::any(ready.$at))*
            }

            #[inline]
            unsafe fn any_mask(ready: Self::Ready<'_>, rows: Rows, row: usize, count: usize, sharing: Sharing) -> u64 {
                // SAFETY: the caller's promise, member by member.
                unsafe { 0 $(| $T::mask(ready.$at, rows, row, count, sharing))* }
            }
        }
    };
}

all_tuples!(tuples);
