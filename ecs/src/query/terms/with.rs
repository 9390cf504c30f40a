//! Filters on what an entity has: `With<T>` and `Without<T>`.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::source::{Presence, TermState, is_sparse};
use crate::access::FilteredAccess;
use crate::cell::Cell;
use crate::component::Component;
use crate::const_access::ConstAccess;
use crate::entity::Entity;
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::query::term::{Demand, Term};
use crate::store::Store;
use crate::table::Table;

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

debug_as_name!(With, Without);

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
