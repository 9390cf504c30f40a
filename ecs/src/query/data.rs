//! Query data: the values that a query reads and writes.
//!
//! Tests: tests/queries/derive.rs, tests/queries/terms.rs

use core::marker::PhantomData;

use super::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch};

/// The values that a query reads and writes for each matched entity.
///
/// | term | matches entities that | yields |
/// |---|---|---|
/// | `&T` | have `T` | `&T` |
/// | `&mut T` | have `T` | `Mut<T>`; where the query only reads, `&T` |
/// | `Mut<T>` | have `T` | `Mut<T>`; where the query only reads, `Ref<T>` |
/// | [`Ref<T>`] | have `T` | `Ref<T>` |
/// | `Option<..>` | all | `Some` if the inner term matches |
/// | [`Has<T>`] | all | whether the entity has `T` |
/// | [`AnyOf<(..)>`] | match at least one member | a tuple of `Option`s |
/// | [`Entity`] | all | the id |
/// | `EntityRef`, `EntityMut` | all | all components of the entity |
/// | `EntityRefExcept<B>`, `EntityMutExcept<B>` | all | all components of the entity but those of the bundle `B` |
/// | `FilteredEntityRef`, `FilteredEntityMut` | all | those components of the entity that were added to the query |
/// | [`SpawnDetails`] | all | when the entity was spawned, and by what |
/// | [`NestedQuery<D, F>`] | all | a `Query` of other entities, which only reads |
/// | `PhantomData<T>` | all | `()` |
/// | tuples of up to 16 terms, nested | match every member | a tuple |
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
///
/// [`Ref<T>`]: crate::change::Ref
/// [`Has<T>`]: crate::query::Has
/// [`AnyOf<(..)>`]: crate::query::AnyOf
/// [`Entity`]: crate::entity::Entity
/// [`SpawnDetails`]: crate::query::SpawnDetails
/// [`NestedQuery<D, F>`]: crate::query::NestedQuery
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a query can ask for: write `&T` or `&mut T` of a type with `#[derive(Component)]`, or a tuple \
               of at most 16 such terms",
    label = "not query data",
    note = "query data is `&T`, `&mut T` or `Ref<T>` of a component `T`, `Option<&T>`, `Has<T>`, `Entity`, a tuple of these, or a \
            type with `#[derive(QueryData)]`; a larger tuple contains further tuples: `((&A, &B), (&C, &D))`",
    note = "a filter such as `With<U>` is the second argument of the query: `Query<&T, With<U>>`",
    note = "a resource (`#[derive(Resource)]`) is not a component: systems take it as `Res<T>` or `ResMut<T>`"
)]
#[doc(alias("IAspect", "WorldQuery", "Fetch", "Join"))]
pub trait QueryData {
    /// The terms that fetch the data.
    #[doc(hidden)]
    type Terms: Fetch;

    /// The read-only version of the data. [`Query::iter`](crate::query::Query::iter) yields its items.
    type ReadOnly: QueryData<Terms = <Self::Terms as Fetch>::ReadOnly>;

    /// The item that the query yields. It borrows from the world for `'w`, and from the query's state for `'s`.
    type Item<'w, 's>;

    #[doc(hidden)]
    fn item<'w, 's>(got: <Self::Terms as Fetch>::Item<'w>, kept: Kept<'s, Self::Terms>) -> Self::Item<'w, 's>;
}

/// The item that query data yields: [`QueryData::Item`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::query::QueryItem;
/// # #[derive(Component)] struct Health(u32);
///
/// fn heal((entity, mut health): QueryItem<'_, '_, (Entity, &mut Health)>) -> Entity {
///     health.0 += 1;
///     entity
/// }
/// # let mut world = World::new();
/// # let entity = world.spawn(Health(1)).id();
/// let mut query = world.query::<(Entity, &mut Health)>();
/// assert_eq!(heal(query.get_mut(&mut world, entity).unwrap()), entity);
/// ```
pub type QueryItem<'w, 's, D> = <D as QueryData>::Item<'w, 's>;

/// The item that query data yields in read-only queries: the [`QueryItem`] of its [`ReadOnly`](QueryData::ReadOnly) form.
pub type ROQueryItem<'w, 's, D> = QueryItem<'w, 's, <D as QueryData>::ReadOnly>;

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
/// All query data can be yielded as slices, except enums, whole entities (`EntityRef` and similar), `SpawnDetails`, `NestedQuery`,
/// and data that contains one of these. The items of these exceptions cannot form a slice.
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
pub trait ContiguousQueryData: QueryData<Terms: ContiguousFetch> {
    /// The item of [`contiguous_iter`](crate::query::Query::contiguous_iter): slices of consecutive rows. For `(A, B)` it is a
    /// tuple, and for a struct with `#[query_data(contiguous(all))]` its `ContiguousItem`.
    type Contiguous<'w, 's>;

    #[doc(hidden)]
    fn contiguous<'w, 's>(got: <Self::Terms as ContiguousFetch>::Slice<'w>) -> Self::Contiguous<'w, 's>;
}

#[diagnostic::do_not_recommend]
impl<D: QueryData<Terms: ContiguousFetch> + SliceItem<D::Terms>> ContiguousQueryData for D {
    type Contiguous<'w, 's> = <D as SliceItem<D::Terms>>::Contiguous<'w, 's>;

    #[inline(always)]
    fn contiguous<'w, 's>(got: <D::Terms as ContiguousFetch>::Slice<'w>) -> Self::Contiguous<'w, 's> {
        <D as SliceItem<D::Terms>>::contiguous(got)
    }
}

/// Converts the slices of the terms `T` to the slices of query data. `T` is a parameter, so that the derive macro can implement the
/// trait without knowing whether the terms have slices.
#[doc(hidden)]
pub trait SliceItem<T: ContiguousFetch> {
    /// The converted slices.
    type Contiguous<'w, 's>;

    fn contiguous<'w, 's>(got: T::Slice<'w>) -> Self::Contiguous<'w, 's>;
}

/// Query data that is identified by its terms alone. Terms have no lifetimes.
#[doc(hidden)]
pub struct DataOf<T>(PhantomData<fn() -> T>);

impl<T: Fetch> QueryData for DataOf<T> {
    type Terms = T;
    type ReadOnly = DataOf<T::ReadOnly>;
    type Item<'w, 's> = T::Item<'w>;

    #[inline]
    fn item<'w, 's>(got: T::Item<'w>, _: Kept<'s, T>) -> T::Item<'w> {
        got
    }
}

/// Implements [`QueryData`] for data whose items are the items of its terms.
macro_rules! fetched_items {
    ($([$($generics:tt)*] $Data:ty => $Terms:ty: $Item:ty, $ReadOnly:ty;)*) => {
        $(impl<$($generics)*> $crate::query::data::QueryData for $Data {
            type Terms = $Terms;
            type ReadOnly = $ReadOnly;
            type Item<'w, 's> = $Item;

            #[inline]
            fn item<'w, 's>(
                got: <$Terms as $crate::query::fetch::Fetch>::Item<'w>,
                _: $crate::query::fetch::Kept<'s, $Terms>,
            ) -> Self::Item<'w, 's> {
                got
            }
        })*
    };
}

/// Like `fetched_items`, but for data whose slices are also the slices of its terms.
macro_rules! fetched_items_and_slices {
    ($([$($generics:tt)*] $Data:ty => $Terms:ty: $Item:ty, $ReadOnly:ty;)*) => {
        $crate::query::data::fetched_items! {
            $([$($generics)*] $Data => $Terms: $Item, $ReadOnly;)*
        }

        $(impl<$($generics)*> $crate::query::data::SliceItem<$Terms> for $Data {
            type Contiguous<'w, 's> = <$Terms as $crate::query::fetch::ContiguousFetch>::Slice<'w>;

            #[inline(always)]
            fn contiguous<'w, 's>(
                got: <$Terms as $crate::query::fetch::ContiguousFetch>::Slice<'w>,
            ) -> Self::Contiguous<'w, 's> {
                got
            }
        })*
    };
}

pub(crate) use {fetched_items, fetched_items_and_slices};
