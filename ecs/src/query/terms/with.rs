//! Filters on the presence of components: `With<T>`, `Without<T>` and `Allow<T>`.
//!
//! Tests: tests/queries/filters.rs, tests/queries/disabling.rs

use core::marker::PhantomData;

use super::source::{Presence, TermState, is_sparse};
use crate::access::term::{ConstTerm, Term, Usage};
use crate::component::Component;
use crate::entity::Entity;
use crate::query::filter::{FilterTerms, QueryFilter};
use crate::storage::table::Table;
use crate::structure::cell::StoreCell;

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
#[doc(alias("WithAll", "include", "filter", "component"))]
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
#[doc(alias("WithNone", "exclude", "Not"))]
pub struct Without<C>(PhantomData<fn() -> C>);

/// Filter: the entity may or may not have the component. Used for [disabling components](crate::entity_disabling): a query that
/// names a disabling component also matches entities that have it.
///
/// ```
/// use strata_ecs::entity_disabling::Disabled;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Enemy;
///
/// let mut world = World::new();
/// world.spawn(Enemy);
/// world.spawn((Enemy, Disabled));
/// assert_eq!(world.query::<&Enemy>().iter(&world).count(), 1);
/// assert_eq!(world.query_filtered::<&Enemy, Allow<Disabled>>().iter(&world).count(), 2);
/// assert_eq!(world.query_filtered::<&Enemy, With<Disabled>>().iter(&world).count(), 1);
/// ```
#[doc(alias("IncludeDisabledEntities", "EntityQueryOptions"))]
pub struct Allow<C>(PhantomData<fn() -> C>);

impl_debug_as_type_name! {
    [C] With<C>;
    [C] Without<C>;
    [C] Allow<C>;
}

/// Filters on the presence of a component.
macro_rules! presence_filters {
    ($($Filter:ident: $has:ident => $matches:expr;)*) => { $(
        impl<C: Component> QueryFilter for $Filter<C> {
            type Terms = Self;
        }

        // SAFETY: an entity has the component if its table has a column for it, or the storage contains the entity, and lacks it
        // otherwise.
        unsafe impl<C: Component> FilterTerms for $Filter<C> {
            type State = TermState;
            type TableFetch<'w> = Presence<'w>;

            const TERM: ConstTerm = ConstTerm::of::<C>(Usage::$Filter);

            fn state(term: Term<'_>) -> TermState {
                TermState::of(term)
            }

            #[inline]
            fn visit_table<'w>(cell: StoreCell<'w>, state: &TermState, table: &'w Table) -> Presence<'w> {
                Presence::new(cell, *state, table, is_sparse::<C>())
            }

            #[inline]
            fn contains(ready: Presence<'_>, entity: Entity, _: usize) -> bool {
                let $has = ready.of(entity);
                $matches
            }
        }
    )* };
}

presence_filters! {
    With: has => has;
    Without: has => !has;
}

impl<C: Component> QueryFilter for Allow<C> {
    type Terms = Self;
}

// SAFETY: the term makes no statement about entities, and all match.
unsafe impl<C: Component> FilterTerms for Allow<C> {
    type State = ();
    type TableFetch<'w> = ();

    const TERM: ConstTerm = ConstTerm::of::<C>(Usage::Allow);

    fn state(_: Term<'_>) {}

    #[inline]
    fn visit_table<'w>(_: StoreCell<'w>, (): &(), _: &'w Table) {}

    #[inline]
    fn contains((): (), _: Entity, _: usize) -> bool {
        true
    }
}
