//! Views of one entity with access to the components that were added to a query when it was made.
//!
//! Tests: tests/queries/filtered.rs

use core::any::TypeId;

use super::entity_ref::{EntityRef, debug_entity};
use crate::component::{Component, ComponentId, ErasedRef, MutableComponent};
use crate::entity::Entity;
use crate::query::change::{ComponentTicks, ErasedMut, Mut, ReadEntity, Ref, WriteEntity};
use crate::query::{AddedComponents, Fetch, Kept, QueryData, ReadGiven, WriteGiven};
use crate::structure::store::Store;

/// Read access to those components of an entity that were added to the query when it was made, with
/// [`QueryBuilder`](super::QueryBuilder) or [`QueryParamBuilder`](crate::system::QueryParamBuilder). If the query was
/// made from other queries, by [`transmute`](crate::query::QueryState::transmute),
/// [`join`](crate::query::QueryState::join) or a lens, the view has the access of these queries.
///
/// The query borrows only the added components, so it does not conflict with queries that borrow other components. Only
/// components in tables can be added. A query that was made in another way gives access to no component. If the data of
/// a query contains several filtered entities, only the first one has access. Each access searches the list of added
/// components.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::FilteredEntityRef;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)] struct Mana(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// world.spawn((Health(3), Mana(7)));
/// let mut query = QueryBuilder::<FilteredEntityRef>::new(&mut world).ref_id(health).build();
/// let entity = query.single(&world).unwrap();
/// assert_eq!(entity.get(), Some(&Health(3)));
/// assert_eq!(entity.get::<Mana>(), None);
/// ```
#[derive(Clone, Copy)]
pub struct FilteredEntityRef<'w, 's> {
    entity: ReadEntity<'w>,
    /// The accessible components. If `None`, no component is accessible.
    given: Option<&'s AddedComponents>,
}

queried! {
    [] FilteredEntityRef<'_, '_>, ReadGiven, Self,
        |'w, 's| FilteredEntityRef<'w, 's> = |fetched, state| FilteredEntityRef { entity: fetched, given: state };

    ['a, 'b] FilteredEntityMut<'a, 'b>, WriteGiven, FilteredEntityRef<'a, 'b>,
        |'w, 's| FilteredEntityMut<'w, 's> = |fetched, state| FilteredEntityMut { entity: fetched, given: state };
}

impl<'w> FilteredEntityRef<'w, '_> {
    /// Creates a view with access to all components.
    pub(super) fn of_all(entity: ReadEntity<'w>) -> Self {
        Self { entity, given: Some(AddedComponents::all()) }
    }

    /// Returns the view of all components of the entity, also those that were not added to the query.
    fn whole(&self) -> EntityRef<'w> {
        EntityRef(self.entity)
    }

    /// Returns whether a component may be read.
    fn is_given(&self, id: ComponentId) -> bool {
        self.given.is_some_and(|given| given.reads(id))
    }

    /// Returns a component; `None` if the entity does not have it, or if it was not added to the query.
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        id_of::<T>(self.entity.store()).filter(|&id| self.is_given(id)).and_then(|_| self.entity.get())
    }

    /// Returns a component with its change ticks; `None` if the entity does not have it, or if it was not added to the
    /// query.
    #[must_use]
    pub fn get_ref<T: Component>(&self) -> Option<Ref<'w, T>> {
        id_of::<T>(self.entity.store()).filter(|&id| self.is_given(id)).and_then(|_| self.entity.get_ref())
    }

    /// Returns the component with this id; `None` if the entity does not have it, or if it was not added to the query.
    #[must_use]
    pub fn get_by_id(&self, id: ComponentId) -> Option<ErasedRef<'w>> {
        self.is_given(id).then(|| self.entity.store().structure.get_by_id(self.id(), id).ok()).flatten()
    }

    /// Returns the ticks at which a component was added and changed, if the component is tracked: see
    /// [`EntityRef::get_change_ticks`](super::EntityRef::get_change_ticks). Also `None` if the component was not added
    /// to the query.
    #[must_use]
    pub fn get_change_ticks<T: Component>(&self) -> Option<ComponentTicks> {
        self.get_change_ticks_by_id(id_of::<T>(self.entity.store())?)
    }

    /// Returns the ticks of the component with this id, like [`get_change_ticks`](Self::get_change_ticks).
    #[must_use]
    pub fn get_change_ticks_by_id(&self, id: ComponentId) -> Option<ComponentTicks> {
        self.is_given(id).then(|| self.entity.ticks_by_id(id)).flatten()
    }

    /// Returns the ids of all components of the entity, whether they were added to the query or not.
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + use<'w> {
        self.whole().components()
    }

    forward! {
        whole:

        /// Returns the id of the entity.
        fn id(&self) -> Entity;

        /// Returns whether the entity has a component, even if it was not added to the query.
        fn contains<T: Component>(&self) -> bool;

        /// Returns whether the entity has the component with this id, even if it was not added to the query.
        fn contains_id(&self, id: ComponentId) -> bool;

        /// Returns whether the entity has the component of the type with this `TypeId`, even if it was not added to the
        /// query.
        fn contains_type_id(&self, type_id: TypeId) -> bool;
    }
}

/// Access to those components of an entity that were added to the query when it was made: mutable access to the ones
/// that were added mutably, and read access to the others. See [`FilteredEntityRef`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{QueryParamBuilder, SystemParamBuilder};
/// use strata_ecs::world::FilteredEntityMut;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)] struct Poison(u32);
///
/// fn hurt(mut all: Query<FilteredEntityMut>) {
///     for mut entity in &mut all {
///         let poison = entity.get::<Poison>().unwrap().0;
///         entity.get_mut::<Health>().unwrap().0 -= poison;
///         assert!(entity.get_mut::<Poison>().is_none());
///     }
/// }
///
/// let mut world = World::new();
/// let id = world.spawn((Health(5), Poison(2))).id();
/// let state = (QueryParamBuilder::new(|builder| {
///     builder.data::<(&mut Health, &Poison)>();
/// }),);
/// let hurt = state.build_state(&mut world).build_system(hurt);
/// world.run_system_once(hurt).unwrap();
/// assert_eq!(world.get(id), Some(&Health(3)));
/// ```
pub struct FilteredEntityMut<'w, 's> {
    entity: WriteEntity<'w>,
    given: Option<&'s AddedComponents>,
}

impl<'w, 's> FilteredEntityMut<'w, 's> {
    /// Creates a view with access to all components.
    pub(super) fn of_all(entity: WriteEntity<'w>) -> Self {
        Self { entity, given: Some(AddedComponents::all()) }
    }

    /// Returns whether a component may be changed.
    fn is_given(&self, id: ComponentId) -> bool {
        self.given.is_some_and(|given| given.writes(id))
    }

    /// Borrows the view again, with a shorter lifetime.
    #[must_use]
    pub fn reborrow(&mut self) -> FilteredEntityMut<'_, 's> {
        FilteredEntityMut { entity: self.entity.reborrow(), given: self.given }
    }

    /// Returns a read-only view of the entity.
    #[must_use]
    pub fn as_readonly(&self) -> FilteredEntityRef<'_, 's> {
        FilteredEntityRef { entity: self.entity.as_readonly(), given: self.given }
    }

    /// Converts the view to a read-only one with the full lifetime.
    #[must_use]
    pub fn into_readonly(self) -> FilteredEntityRef<'w, 's> {
        FilteredEntityRef { entity: self.entity.into_readonly(), given: self.given }
    }

    /// Returns a component, borrowed mutably; `None` if the entity does not have it, or if it was not added mutably to
    /// the query.
    #[must_use]
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<Mut<'_, T>> {
        self.reborrow().into_mut()
    }

    /// Returns a component, borrowed mutably for the full lifetime of the view; `None` if the entity does not have it,
    /// or if it was not added mutably to the query.
    #[must_use]
    pub fn into_mut<T: MutableComponent>(self) -> Option<Mut<'w, T>> {
        let id = id_of::<T>(self.entity.as_readonly().store())?;
        self.is_given(id).then(|| self.entity.into_mut()).flatten()
    }

    /// Returns the component with this id, borrowed mutably; `None` if the entity does not have it, if it was not added
    /// mutably to the query, or if it is immutable.
    #[must_use]
    pub fn get_mut_by_id(&mut self, id: ComponentId) -> Option<ErasedMut<'_>> {
        self.is_given(id).then(|| self.entity.reborrow().into_mut_by_id(id).ok()).flatten()
    }

    forward! {
        as_readonly:

        /// Returns the id of the entity.
        fn id(&self) -> Entity;

        /// Returns a component; `None` if the entity does not have it, or if it was not added to the query.
        fn get<T: Component>(&self) -> Option<&T>;

        /// Returns a component with its change ticks; `None` if the entity does not have it, or if it was not added to
        /// the query.
        fn get_ref<T: Component>(&self) -> Option<Ref<'_, T>>;

        /// Returns the component with this id; `None` if the entity does not have it, or if it was not added to the
        /// query.
        fn get_by_id(&self, id: ComponentId) -> Option<ErasedRef<'_>>;

        /// Returns the ticks at which a component was added and changed; see [`FilteredEntityRef::get_change_ticks`].
        fn get_change_ticks<T: Component>(&self) -> Option<ComponentTicks>;

        /// Returns the ticks of the component with this id; see [`FilteredEntityRef::get_change_ticks`].
        fn get_change_ticks_by_id(&self, id: ComponentId) -> Option<ComponentTicks>;

        /// Returns whether the entity has a component, even if it was not added to the query.
        fn contains<T: Component>(&self) -> bool;

        /// Returns whether the entity has the component with this id, even if it was not added to the query.
        fn contains_id(&self, id: ComponentId) -> bool;

        /// Returns whether the entity has the component of the type with this `TypeId`, even if it was not added to the
        /// query.
        fn contains_type_id(&self, type_id: TypeId) -> bool;
    }
}

fn id_of<T: Component>(store: &Store) -> Option<ComponentId> {
    store.structure.archetypes.components.id::<T>()
}

impl_debug!([] FilteredEntityRef<'_, '_> => |this, f| debug_entity(this.entity, |id| this.is_given(id), f));

impl_debug!([] FilteredEntityMut<'_, '_> => |this, f| this.as_readonly().fmt(f));
