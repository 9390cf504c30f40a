//! What a query can ask for.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::any::{Alternative, AnyMatch, FirstMatch};
use super::changes::ReadTicks;
use super::fetch::{EntityTerm, Fetch, Read, ReadOnlyFetch, Write, WriteRows};
use super::fetch_more::{HasTerm, Optional};
use super::slices::ContiguousFetch;
use crate::change::{Mut, Ref};
use crate::component::Component;
use crate::entity::Entity;

/// What a query reads and writes of each entity that it matches.
///
/// | term | matches entities that | yields |
/// |---|---|---|
/// | `&T` | have `T` | `&T` |
/// | `&mut T`, `Mut<T>` | have `T` | `Mut<T>` |
/// | [`Ref<T>`](Ref) | have `T` | `Ref<T>` |
/// | `Option<..>` | all | `Some` if the inner term matches |
/// | [`Has<T>`] | all | whether the entity has `T` |
/// | [`AnyOf<(..)>`](AnyOf) | match at least one member | a tuple of `Option`s |
/// | [`Entity`] | all | the id |
/// | tuples of up to 15 terms, nested | match every member | a tuple |
/// | `#[derive(QueryData)]` structs | match every field | `..Item` structs |
/// | `#[derive(QueryData)]` enums | match a variant | `..Item` enums, with the first variant that matches |
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
/// #[derive(Component)]
/// struct Frozen;
///
/// let mut world = World::new();
/// world.spawn((Position(0.0), Velocity(2.0)));
/// world.spawn((Position(1.0), Frozen));
///
/// let mut query = world.query::<(Entity, &mut Position, Option<&Velocity>, Has<Frozen>)>();
/// for (entity, mut position, velocity, frozen) in query.iter_mut(&mut world) {
///     if !frozen {
///         position.0 += velocity.map_or(0.0, |velocity| velocity.0);
///     }
///     println!("{entity} is at {}", position.0);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a query can ask for: write `&T` or `&mut T`, and `#[derive(Component)]` above `T`",
    label = "not query data",
    note = "query data is `&T`, `&mut T` or `Ref<T>` of a component `T`, `Option<&T>`, `Has<T>`, `Entity`, a tuple of these, or a \
            type with `#[derive(QueryData)]`",
    note = "a filter such as `With<U>` is the second argument of the query: `Query<&T, With<U>>`"
)]
pub trait QueryData {
    /// How it is read.
    #[doc(hidden)]
    type Terms: Fetch;

    /// The same without writing: what [`Query::iter`](crate::query::Query::iter) yields.
    type ReadOnly: QueryData<Terms = <Self::Terms as Fetch>::ReadOnly>;

    /// What the query yields.
    type Item<'w>;

    #[doc(hidden)]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w>;
}

/// Query data that only reads: it can be fetched from a shared world.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::ReadOnlyQueryData;
/// # #[derive(Component)] struct Health(u32);
///
/// fn count<D: ReadOnlyQueryData>(world: &mut World) -> usize {
///     world.query::<D>().iter(world).count()
/// }
/// # let mut world = World::new();
/// # world.spawn(Health(1));
/// assert_eq!(count::<(Entity, &Health)>(&mut world), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can change components, and here a query may only read",
    label = "borrows mutably",
    note = "use `&T` instead of `&mut T`; for a struct that has to write, add `#[query_data(mutable)]` to its derive"
)]
pub trait ReadOnlyQueryData: QueryData<Terms: ReadOnlyFetch> {}

#[diagnostic::do_not_recommend]
impl<D: QueryData<Terms: ReadOnlyFetch>> ReadOnlyQueryData for D {}

/// Query data that can be yielded as slices, by [`Query::contiguous_iter`](crate::query::Query::contiguous_iter).
///
/// All is, but enums and what contains one: their rows yield one thing or another.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::ContiguousQueryData;
/// # #[derive(Component)] struct Health(u32);
///
/// fn runs<D: ContiguousQueryData>(world: &mut World) -> usize {
///     world.query::<D>().contiguous_iter_mut(world).count()
/// }
/// # let mut world = World::new();
/// # world.spawn_batch([Health(1), Health(2)]);
/// assert_eq!(runs::<(Entity, &Health)>(&mut world), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "rows of `{Self}` cannot be yielded as slices: use `iter` or `iter_mut`",
    label = "not contiguous",
    note = "each row of a query enum yields a variant of its own, so rows do not make up a slice"
)]
pub trait ContiguousQueryData: QueryData<Terms: ContiguousFetch> {}

#[diagnostic::do_not_recommend]
impl<D: QueryData<Terms: ContiguousFetch>> ContiguousQueryData for D {}

impl<C: Component> QueryData for &C {
    type Terms = Read<C>;
    type ReadOnly = Self;
    type Item<'w> = &'w C;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got
    }
}

impl<'a, C: Component> QueryData for &'a mut C {
    type Terms = Write<C>;
    type ReadOnly = &'a C;
    type Item<'w> = Mut<'w, C>;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got
    }
}

impl<'a, C: Component> QueryData for Mut<'a, C> {
    type Terms = WriteRows<C>;
    type ReadOnly = &'a C;
    type Item<'w> = Mut<'w, C>;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got
    }
}

impl<C: Component> QueryData for Ref<'_, C> {
    type Terms = ReadTicks<C>;
    type ReadOnly = Self;
    type Item<'w> = Ref<'w, C>;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got
    }
}

impl<D: QueryData> QueryData for Option<D> {
    type Terms = Optional<D::Terms>;
    type ReadOnly = Option<D::ReadOnly>;
    type Item<'w> = Option<D::Item<'w>>;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got.map(D::item)
    }
}

/// In a query: whether the entity has a component. It matches every entity and borrows nothing.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Poisoned;
/// # let mut world = World::new();
/// world.spawn(Poisoned);
/// world.spawn_empty();
/// let mut query = world.query::<Has<Poisoned>>();
/// assert_eq!(query.iter(&world).count(), 2);
/// assert_eq!(query.iter(&world).filter(|poisoned| *poisoned).count(), 1);
/// ```
pub struct Has<C>(PhantomData<fn() -> C>);

impl<C> fmt::Debug for Has<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

impl<C: Component> QueryData for Has<C> {
    type Terms = HasTerm<C>;
    type ReadOnly = Self;
    type Item<'w> = bool;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got
    }
}

/// In a query: all that an entity has of several terms, as a tuple of `Option`s. It matches entities that have at least
/// one of them.
///
/// For one of several things that exclude each other, `#[derive(QueryData)]` on an enum says so by type.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Shield(u32);
/// # let mut world = World::new();
/// world.spawn(Health(1));
/// world.spawn((Health(2), Shield(3)));
/// world.spawn_empty();
/// let mut query = world.query::<AnyOf<(&Health, &Shield)>>();
/// let found = query.iter(&world).map(|(health, shield)| (health.map(|it| it.0), shield.map(|it| it.0)));
/// assert_eq!(found.collect::<Vec<_>>(), [(Some(1), None), (Some(2), Some(3))]);
/// ```
pub struct AnyOf<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for AnyOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

/// What query enums are made of: the first of several terms that an entity has.
#[doc(hidden)]
pub struct FirstOf<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for FirstOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

impl QueryData for Entity {
    type Terms = EntityTerm;
    type ReadOnly = Self;
    type Item<'w> = Self;

    #[inline]
    fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
        got
    }
}

impl QueryData for () {
    type Terms = ();
    type ReadOnly = ();
    type Item<'w> = ();

    fn item<'w>((): <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {}
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        impl<$($T: QueryData),*> QueryData for ($($T,)*) {
            type Terms = ($($T::Terms,)*);
            type ReadOnly = ($($T::ReadOnly,)*);
            type Item<'w> = ($($T::Item<'w>,)*);

            #[inline]
            fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
                ($($T::item(got.$at),)*)
            }
        }

        impl<$($T: QueryData),*> QueryData for AnyOf<($($T,)*)> {
            type Terms = AnyMatch<($($T::Terms,)*)>;
            type ReadOnly = AnyOf<($($T::ReadOnly,)*)>;
            type Item<'w> = ($(Option<$T::Item<'w>>,)*);

            #[inline]
            fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
                ($(got.$at.map($T::item),)*)
            }
        }

        impl<$($T: QueryData),*> QueryData for FirstOf<($($T,)*)> {
            type Terms = FirstMatch<($($T::Terms,)*)>;
            type ReadOnly = FirstOf<($($T::ReadOnly,)*)>;
            type Item<'w> = Alternative<$($T::Item<'w>),*>;

            #[inline]
            fn item<'w>(got: <Self::Terms as Fetch>::Item<'w>) -> Self::Item<'w> {
                match got {
                    $(Alternative::$T(got) => Alternative::$T($T::item(got)),)*
                }
            }
        }
    };
}

all_tuples!(tuples);
