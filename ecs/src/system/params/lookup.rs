//! A parameter that reads other entities by id.
//!
//! Tests: tests/systems/params/lookups.rs

use core::any::type_name;
use core::marker::PhantomData;

use super::query::QuerySource;
use crate::access::const_access::ConstAccess;
use crate::entity::Entity;
use crate::query::{Fetch, FilterTerms, Query, QueryEntityError, QueryFilter, ReadOnlyQueryData};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// Reads entities by id. A lookup is a query for single entities, in systems that visit other entities.
///
/// In a `#[system]` over components, a lookup is a parameter like the components of the row. The rows may not write components that
/// the lookup reads: some of the entities would be changed already and others not, depending on their position. Such a system does
/// not compile, unless filters make the rows and the looked-up entities disjoint.
///
/// A lookup is `Copy`, and finding an entity costs the same as [`Query::get`].
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Heading(f32);
/// #[derive(Component)]
/// struct Target(Entity);
///
/// #[system]
/// fn turn(heading: &mut Heading, position: &Position, target: &Target, positions: Lookup<&Position>) {
///     if let Ok(goal) = positions.get(target.0) {
///         heading.0 = (goal.0 - position.0).signum();
///     }
/// }
///
/// let mut world = World::new();
/// let goal = world.spawn(Position(-5.0)).id();
/// let hunter = world.spawn((Position(3.0), Heading(0.0), Target(goal))).id();
/// world.run_system_once(turn).unwrap();
/// assert_eq!(world.get::<Heading>(hunter).unwrap().0, -1.0);
/// ```
#[doc(alias("ComponentLookup", "ComponentDataFromEntity", "BufferLookup", "SubWorld", "View"))]
pub struct Lookup<'w, 's, D: ReadOnlyQueryData, F: QueryFilter = ()> {
    pub(in crate::system) query: Query<'w, 's, D, F>,
}

impl_copy! { [D: ReadOnlyQueryData, F: QueryFilter] Lookup<'_, '_, D, F>; }

impl<'w, 's, D: ReadOnlyQueryData, F: QueryFilter> Lookup<'w, 's, D, F> {
    /// Returns the item of an entity. `O(1)`.
    ///
    /// # Errors
    ///
    /// If the entity is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [full, empty] = [world.spawn(Health(7)).id(), world.spawn_empty().id()];
    /// let check = move |healths: Lookup<&Health>| {
    ///     assert_eq!(healths.get(full).unwrap().0, 7);
    ///     assert!(healths.get(empty).is_err());
    /// };
    /// world.run_system_once(check).unwrap();
    /// ```
    #[inline]
    pub fn get(&self, entity: Entity) -> Result<D::Item<'w, 's>, QueryEntityError> {
        self.query.get_inner(entity)
    }

    /// Returns the items of several entities. An entity may occur several times.
    ///
    /// # Errors
    ///
    /// Returns an error for the first entity that is not alive or does not match.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let check = move |healths: Lookup<&Health>| {
    ///     assert_eq!(healths.get_many([b, a, b]).unwrap().map(|health| health.0), [2, 1, 2]);
    /// };
    /// world.run_system_once(check).unwrap();
    /// ```
    pub fn get_many<const N: usize>(&self, entities: [Entity; N]) -> Result<[D::Item<'w, 's>; N], QueryEntityError> {
        self.query.get_many_readonly(entities)
    }

    /// Returns whether the entity is alive and matches. `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let [full, empty] = [world.spawn(Health(7)).id(), world.spawn_empty().id()];
    /// let check = move |healths: Lookup<&Health>| {
    ///     assert!(healths.contains(full) && !healths.contains(empty));
    /// };
    /// world.run_system_once(check).unwrap();
    /// ```
    #[inline]
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_ok()
    }
}

impl_from! {
    /// Creates the parameter for unit tests that call a system directly.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(7)).id();
    /// let mut state = world.query::<&Health>();
    /// let healths = Lookup::from(state.query(&world));
    /// assert_eq!(healths.get(entity).unwrap().0, 7);
    /// ```
    ['w, 's, D: ReadOnlyQueryData, F: QueryFilter] Query<'w, 's, D, F> => Lookup<'w, 's, D, F>, |query| Self { query };
}

impl_debug!([D: ReadOnlyQueryData, F: QueryFilter] Lookup<'_, '_, D, F> => |_this, f|
    write!(f, "Lookup<{}, {}>", type_name::<D>(), type_name::<F>()));

/// The source of a [`Lookup`], which fetches a query.
#[doc(hidden)]
pub struct LookupSource<T, F>(PhantomData<fn() -> (T, F)>);

// SAFETY: `QuerySource` adds the access of the query.
unsafe impl<T: Fetch, F: FilterTerms> ParamSource for LookupSource<T, F> {
    type State = <QuerySource<T, F> as ParamSource>::State;
    type Got<'w, 's> = <QuerySource<T, F> as ParamSource>::Got<'w, 's>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::Lookup(&<QuerySource<T, F> as ParamSource>::ACCESS);

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        QuerySource::<T, F>::init(store, meta)
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted.
        unsafe { QuerySource::<T, F>::get(state, cell) }
    }
}

params! {
    [D: ReadOnlyQueryData, F: QueryFilter] Lookup<'_, '_, D, F> => Lookup<'w, 's, D, F>, LookupSource<D::Terms, F::Terms>, |got| Lookup { query: got.with_same_terms() };
}
