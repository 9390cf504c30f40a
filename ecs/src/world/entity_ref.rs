//! Views of one entity.
//!
//! Tests: tests/storage/world.rs, tests/queries/whole_entities.rs

use core::any::TypeId;
use core::fmt;

use crate::component::{Component, ComponentId, MutableComponent};
use crate::entity::{ContainsEntity, Entity, Location};
use crate::query::change::{ComponentTicks, DetectChanges as _, Mut, ReadEntity, Ref, WriteEntity};
use crate::query::{Fetch, Kept, QueryData, QueryState, ReadAllBut, ReadOnlyQueryData, WriteAllBut};
use crate::structure::cell::ReadCell;
use crate::util::origin::Origin;

/// A read-only view of an entity, which is alive while the view exists.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Mana(u32);
///
/// let mut world = World::new();
/// let id = world.spawn(Health(3)).id();
/// let entity = world.entity(id);
/// assert_eq!(entity.get::<Health>().unwrap().0, 3);
/// assert!(!entity.contains::<Mana>());
/// ```
///
/// In a query it reads all components of all matched entities. So the query conflicts with every query that writes a
/// component, unless the filters of both are disjoint. [`EntityRefExcept`](super::EntityRefExcept) excludes components.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Component)] struct Selected;
///
/// fn show(selected: Query<EntityRef, With<Selected>>, mut others: Query<&mut Health, Without<Selected>>) {
///     selected.iter().for_each(|entity| println!("{entity:?}"));
///     others.iter_mut().for_each(|mut health| health.0 += 1);
/// }
/// # let mut world = World::new();
/// # world.spawn((Health(3), Selected));
/// # world.run_system_once(show).unwrap();
/// ```
#[derive(Clone, Copy)]
#[doc(alias("EntityView", "entry"))]
pub struct EntityRef<'w>(pub(super) ReadEntity<'w>);

queried! {
    [] EntityRef<'_>, ReadAllBut<()>, Self,
        |'w, 's| EntityRef<'w> = |fetched, _| EntityRef(fetched);

    ['a] EntityMut<'a>, WriteAllBut<()>, EntityRef<'a>,
        |'w, 's| EntityMut<'w> = |fetched, _| EntityMut(fetched);
}

impl<'w> EntityRef<'w> {
    #[inline]
    pub(super) fn new(cell: ReadCell<'w>, entity: Entity) -> Self {
        Self(ReadEntity::new(cell, entity))
    }

    /// Returns the id of the entity.
    #[inline]
    #[must_use]
    pub fn id(&self) -> Entity {
        self.0.id()
    }

    /// Returns where in the program the entity was spawned. It is recorded only with the feature `track_location`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// println!("spawned at {}", world.entity(entity).spawned_by());
    /// ```
    #[must_use]
    pub fn spawned_by(&self) -> Origin {
        self.0.store().structure.entities.entity_get_spawned_or_despawned_by(self.0.id())
    }

    /// Returns the location of the entity's table-stored components.
    ///
    /// # Panics
    ///
    /// If the entity is not alive any more. This can happen if
    /// [`EntityWorldMut::as_readonly`](crate::world::EntityWorldMut::as_readonly) was called after a despawn.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([Health(1), Health(2)]).collect();
    /// let locations = [ids[0], ids[1]].map(|id| world.entity(id).location());
    /// assert_eq!(locations[0].table, locations[1].table);
    /// assert_eq!(locations[1].row, 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn location(&self) -> Location {
        match self.0.store().structure.entities.locate(self.0.id()) {
            Ok(location) => location,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a component; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let entity = world.entity(id);
    /// assert_eq!(entity.get::<Health>(), Some(&Health(3)));
    /// assert_eq!(entity.get::<Mana>(), None);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias("try_get"))]
    pub fn get<T: Component>(&self) -> Option<&'w T> {
        self.0.get()
    }

    /// Returns whether the entity has a component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let entity = world.entity(id);
    /// assert!(entity.contains::<Health>() && !entity.contains::<Mana>());
    /// ```
    #[must_use]
    #[doc(alias("has", "HasComponent", "all_of"))]
    pub fn contains<T: Component>(&self) -> bool {
        self.0.store().structure.value::<T>(self.0.id()).is_some()
    }

    /// Returns whether the entity has the component with this id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let health = world.component_id::<Health>().unwrap();
    /// assert!(world.entity(id).contains_id(health));
    /// ```
    #[must_use]
    pub fn contains_id(&self, id: ComponentId) -> bool {
        self.0.store().structure.has(self.0.id(), id)
    }

    /// Returns whether the entity has the component of the type with this `TypeId`.
    ///
    /// ```
    /// use std::any::TypeId;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(3));
    /// assert!(entity.contains_type_id(TypeId::of::<Health>()));
    /// assert!(!entity.contains_type_id(TypeId::of::<u32>()));
    /// ```
    #[must_use]
    pub fn contains_type_id(&self, type_id: TypeId) -> bool {
        let store = self.0.store();
        store.structure.archetypes.components.get_id(type_id).is_some_and(|id| store.structure.has(self.0.id(), id))
    }

    /// Returns where in the program a component was last changed, if the entity has the component. It is recorded only
    /// with the feature `track_location`.
    #[must_use]
    pub fn get_changed_by<T: Component>(&self) -> Option<Origin> {
        self.get_ref::<T>().map(|component| component.changed_by())
    }

    /// Returns the ids of all components of the entity: first the table-stored ones, then the sparse ones.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn((Health(3), Mana(7))).id();
    /// let entity = world.entity(id);
    /// let names: Vec<&str> = entity.components().map(|id| world.components().name(id)).collect();
    /// assert!(names[0].ends_with("Health") && names[1].ends_with("Mana"));
    /// ```
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + use<'w> {
        self.0.store().structure.components_of(self.0.id())
    }

    /// Returns the query item for the entity; `None` if the query does not match. Each call costs as much as making a
    /// query. For many entities, make one query instead.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn((Health(3), Mana(7))).id();
    /// let (health, mana) = world.entity(id).get_components::<(&Health, &Mana)>().unwrap();
    /// assert_eq!((health.0, mana.0), (3, 7));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn get_components<D: ReadOnlyQueryData>(&self) -> Option<D::Item<'w, 'static>> {
        let () = QueryState::<D>::FITS_ONE_ENTITY;
        QueryState::<D>::find(self.0.store())?.of_entity(self.0)
    }
}

impl ContainsEntity for EntityRef<'_> {
    fn entity(&self) -> Entity {
        self.id()
    }
}

impl ContainsEntity for EntityMut<'_> {
    fn entity(&self) -> Entity {
        self.id()
    }
}

/// Formats an entity with the names of those of its components that may be read.
pub(super) fn debug_entity(
    entity: ReadEntity<'_>,
    is_given: impl Fn(ComponentId) -> bool,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let given = entity.store().structure.components_of(entity.id()).filter(|&id| is_given(id));
    write!(f, "{} ", entity.id())?;
    f.debug_set().entries(given.map(|id| entity.store().structure.archetypes.components.name(id))).finish()
}

impl_debug!([] EntityRef<'_> => |this, f| debug_entity(this.0, |_| true, f));

/// A view of an entity with mutable access to its components, without structural changes.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let id = world.spawn(Health(3)).id();
/// for mut entity in world.iter_entities_mut() {
///     entity.get_mut::<Health>().unwrap().0 += 1;
/// }
/// assert_eq!(world.get(id), Some(&Health(4)));
/// ```
///
/// In a query it writes all components of all matched entities. So the query conflicts with every query that borrows a
/// component, unless the filters of both are disjoint. [`EntityMutExcept`](super::EntityMutExcept) excludes components.
/// For [change detection](crate::change_detection), a component is changed when a mutable reference to it is
/// dereferenced mutably.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// fn heal(mut all: Query<EntityMut>) {
///     for mut entity in &mut all {
///         if let Some(mut health) = entity.get_mut::<Health>() {
///             health.0 += 1;
///         }
///     }
/// }
/// # let mut world = World::new();
/// # let id = world.spawn(Health(3)).id();
/// # world.run_system_once(heal).unwrap();
/// # assert_eq!(world.get::<Health>(id).unwrap().0, 4);
/// ```
pub struct EntityMut<'w>(pub(super) WriteEntity<'w>);

impl EntityMut<'_> {
    /// Borrows the view again, with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// fn heal(entity: EntityMut) {
    ///     entity.into_mut::<Health>().unwrap().0 += 1;
    /// }
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut entity = world.iter_entities_mut().next().unwrap();
    /// heal(entity.reborrow());
    /// heal(entity.reborrow());
    /// assert_eq!(entity.get(), Some(&Health(5)));
    /// ```
    #[must_use]
    pub fn reborrow(&mut self) -> EntityMut<'_> {
        EntityMut(self.0.reborrow())
    }

    /// Returns a read-only view of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let entity = world.iter_entities_mut().next().unwrap();
    /// assert_eq!(entity.as_readonly().components().count(), 1);
    /// ```
    #[must_use]
    pub fn as_readonly(&self) -> EntityRef<'_> {
        EntityRef(self.0.as_readonly())
    }

    /// Returns a component, borrowed mutably; `None` if the entity does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let mut entity = world.iter_entities_mut().next().unwrap();
    /// if let Some(mut health) = entity.get_mut::<Health>() {
    ///     health.0 = 0;
    /// }
    /// assert_eq!(world.get(id), Some(&Health(0)));
    /// ```
    #[must_use]
    pub fn get_mut<T: MutableComponent>(&mut self) -> Option<Mut<'_, T>> {
        self.0.reborrow().into_mut()
    }

    /// Returns the ids of all components of the entity; see [`EntityRef::components`].
    pub fn components(&self) -> impl Iterator<Item = ComponentId> + use<'_> {
        self.as_readonly().components()
    }

    /// Returns the query item for the entity; `None` if the query does not match. Each call costs as much as making a
    /// query. For many entities, make one query instead.
    ///
    /// The compiler checks that the item borrows no component twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn((Health(3), Mana(7))).into_mutable();
    /// let (mut health, mut mana) = entity.get_components_mut::<(&mut Health, &mut Mana)>().unwrap();
    /// (health.0, mana.0) = (mana.0, health.0);
    /// assert_eq!(entity.get(), Some(&Health(7)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn get_components_mut<D: QueryData>(&mut self) -> Option<D::Item<'_, 'static>> {
        let () = QueryState::<D>::FITS_ONE_ENTITY;
        QueryState::<D>::find(self.0.as_readonly().store())?.of_entity_mut(self.0.reborrow())
    }

    forward! {
        as_readonly:

        /// Returns the id of the entity.
        fn id(&self) -> Entity;

        /// Returns a component; `None` if the entity does not have it.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Health(u32);
        ///
        /// let mut world = World::new();
        /// world.spawn(Health(3));
        /// let entity = world.iter_entities_mut().next().unwrap();
        /// assert_eq!(entity.get::<Health>(), Some(&Health(3)));
        /// ```
        fn get<T: Component>(&self) -> Option<&T>;

        /// Returns a component with its change ticks; see [`EntityRef::get_ref`].
        fn get_ref<T: Component>(&self) -> Option<Ref<'_, T>>;

        /// Returns the ticks at which a component was added and changed, if the component is tracked; see
        /// [`EntityRef::get_change_ticks`].
        fn get_change_ticks<T: Component>(&self) -> Option<ComponentTicks>;

        /// Returns the location of the entity's table-stored components; see [`EntityRef::location`].
        fn location(&self) -> Location;

        /// Returns whether the entity has the component with this id; see [`EntityRef::contains_id`].
        fn contains_id(&self, id: ComponentId) -> bool;

        /// Returns whether the entity has the component of the type with this `TypeId`.
        fn contains_type_id(&self, type_id: TypeId) -> bool;

        /// Returns where in the program a component was last changed, if the entity has the component. It is recorded
        /// only with the feature `track_location`.
        fn get_changed_by<T: Component>(&self) -> Option<Origin>;

        /// Returns where in the program the entity was spawned. It is recorded only with the feature `track_location`.
        fn spawned_by(&self) -> Origin;

        /// Returns whether the entity has a component.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Health(u32);
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Mana(u32);
        ///
        /// let mut world = World::new();
        /// world.spawn(Health(3));
        /// let entity = world.iter_entities_mut().next().unwrap();
        /// assert!(entity.contains::<Health>() && !entity.contains::<Mana>());
        /// ```
        fn contains<T: Component>(&self) -> bool;

        /// Returns the read-only query item for the entity; see [`EntityRef::get_components`].
        #[track_caller]
        fn get_components<D: ReadOnlyQueryData>(&self) -> Option<D::Item<'_, 'static>>;
    }
}

impl<'w> EntityMut<'w> {
    /// Converts the view to a read-only one with the full lifetime.
    #[must_use]
    pub fn into_readonly(self) -> EntityRef<'w> {
        EntityRef(self.0.into_readonly())
    }

    /// Returns a component, borrowed for the full lifetime of the view.
    #[must_use]
    pub fn into_borrow<T: Component>(self) -> Option<&'w T> {
        self.into_readonly().get()
    }

    /// Returns a component with its change ticks, borrowed for the full lifetime of the view.
    #[must_use]
    pub fn into_ref<T: Component>(self) -> Option<Ref<'w, T>> {
        self.into_readonly().get_ref()
    }

    /// Returns a component, borrowed mutably for the full lifetime of the view.
    #[must_use]
    pub fn into_mut<T: MutableComponent>(self) -> Option<Mut<'w, T>> {
        self.0.into_mut()
    }

    /// Returns the query item for the entity, like [`get_components_mut`](Self::get_components_mut), for the full
    /// lifetime of the view.
    #[must_use]
    #[track_caller]
    pub fn into_components_mut<D: QueryData>(self) -> Option<D::Item<'w, 'static>> {
        let () = QueryState::<D>::FITS_ONE_ENTITY;
        QueryState::<D>::find(self.0.as_readonly().store())?.of_entity_mut(self.0)
    }
}

impl_debug!([] EntityMut<'_> => |this, f| this.as_readonly().fmt(f));
