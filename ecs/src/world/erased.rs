//! Access to components by id, for programs that do not know the type of a component at compile time.
//!
//! Tests: tests/storage/erased

use alloc::boxed::Box;

use super::cast::World;
use super::component_fetch::DynamicComponentFetch;
use super::entity_mut::EntityWorldMut;
use super::entity_ref::{EntityMut, EntityRef};
use crate::component::{ComponentDescriptor, ComponentId, ErasedRef, ErasedSlice, ErasedValue, RegisterComponentError};
use crate::entity::{Entity, TableId};
use crate::query::change::WriteEntity;
use crate::query::change::{ComponentTicks, ErasedMut};
use crate::structure::removal::RemovedComponentReader;
use crate::structure::store::{
    ColumnAccessError, ErasedAccessError, InsertErasedError, SetFieldError, removed_reader_by_id,
};

impl World {
    /// Returns the id of the component with this descriptor in this world, and registers it if necessary.
    ///
    /// The descriptor describes a type ([`ComponentDescriptor::of`]), or a component that is defined at run time
    /// ([`ComponentDescriptor::builder`]).
    ///
    /// # Errors
    ///
    /// If the descriptor belongs to a resource, if the world has a component with the same name and another definition,
    /// if another component has the same stable name, or if the component requires itself. Then nothing has changed.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let id = world.register_component_with_descriptor(heat).unwrap();
    /// assert_eq!(world.register_component_with_descriptor(heat), Ok(id));
    /// assert_eq!(world.components().get_id_by_name("mod:heat"), Ok(id));
    /// ```
    #[doc(alias("add_dynamic_component", "component_dynamic"))]
    pub fn register_component_with_descriptor(
        &mut self,
        descriptor: &'static ComponentDescriptor,
    ) -> Result<ComponentId, RegisterComponentError> {
        self.store.register_descriptor(descriptor)
    }

    /// Returns the value of a component of an entity. `O(1)`, and `O(log components)` for entities with many.
    ///
    /// # Errors
    ///
    /// If the entity is not alive, if it does not have the component, or if this world has no component with this id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let health = world.component_id::<Health>().unwrap();
    /// assert_eq!(world.get_by_id(entity, health).unwrap().downcast_ref(), Some(&Health(3)));
    /// ```
    pub fn get_by_id(&self, entity: Entity, id: ComponentId) -> Result<ErasedRef<'_>, ErasedAccessError> {
        self.store.structure.get_by_id(entity, id)
    }

    /// Returns the value of a component of an entity, borrowed mutably.
    ///
    /// # Errors
    ///
    /// Same as [`World::get_by_id`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let health = world.component_id::<Health>().unwrap();
    /// world.get_mut_by_id(entity, health).unwrap().downcast_mut::<Health>().unwrap().0 = 4;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    pub fn get_mut_by_id(&mut self, entity: Entity, id: ComponentId) -> Result<ErasedMut<'_>, ErasedAccessError> {
        WriteEntity::new(&mut self.store, entity).into_mut_by_id(id)
    }

    /// Returns the values of a component of all entities of a table, by row, without their type. [`World::tables`]
    /// returns the tables.
    ///
    /// # Errors
    ///
    /// If there is no such table or component, or if the table has no column for the component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Health(1), Health(2)]);
    /// for table in world.tables() {
    ///     for &id in table.components() {
    ///         assert_eq!(world.column(table.id(), id).unwrap().len(), table.len());
    ///     }
    /// }
    /// ```
    pub fn column(&self, table: TableId, id: ComponentId) -> Result<ErasedSlice<'_>, ColumnAccessError> {
        self.store.structure.column(table, id)
    }

    /// Returns the values of a component of all entities of a table, by row. [`World::tables`] returns the tables.
    ///
    /// # Errors
    ///
    /// If there is no such table or component, if the table has no column for the component, or if the values are not
    /// of type `T`.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let heat = world.register_component_with_descriptor(heat).unwrap();
    /// for value in [1.0_f32, 2.0] {
    ///     world.spawn_empty().insert_by_id(heat, value).unwrap();
    /// }
    /// let table = world.tables().iter().find(|table| table.contains(heat)).unwrap().id();
    /// assert_eq!(world.column_by_id::<f32>(table, heat).unwrap(), [1.0, 2.0]);
    /// assert!(world.column_by_id::<u32>(table, heat).is_err());
    /// ```
    #[doc(alias("get_slice", "chunk"))]
    pub fn column_by_id<T: 'static>(&self, table: TableId, id: ComponentId) -> Result<&[T], ColumnAccessError> {
        self.store.structure.column_by_id(table, id)
    }

    /// Returns the values of a component of all entities of a table, by row, borrowed mutably. All of them count as
    /// changed.
    ///
    /// # Errors
    ///
    /// Same as [`World::column_by_id`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_batch([Health(1), Health(2)]).last().unwrap();
    /// let (table, health) = (world.entity(entity).location().table, world.component_id::<Health>().unwrap());
    /// world.column_mut_by_id::<Health>(table, health).unwrap()[1].0 = 9;
    /// assert_eq!(world.get(entity), Some(&Health(9)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn column_mut_by_id<T: 'static>(
        &mut self,
        table: TableId,
        id: ComponentId,
    ) -> Result<&mut [T], ColumnAccessError> {
        self.store.structure.check_column_mut::<T>(table, id)?;
        let store = self.store.track_caller();
        let now = store.now();
        store.structure.values_mut_by_id(table, id, now).ok_or(ColumnAccessError::UnknownTable(table))
    }

    /// Returns a reader of the entities that lose a component from now on, like [`World::removed_reader`], but without
    /// the type of the component. `None` if this world has no component with this id.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let heat = world.register_component_with_descriptor(heat).unwrap();
    /// let mut reader = world.removed_reader_by_id(heat).unwrap();
    /// let entity = world.spawn_empty().insert_by_id(heat, 21.5_f32).unwrap().id();
    /// world.entity_mut(entity).remove_by_id(heat).unwrap();
    /// assert_eq!(reader.read(&world).collect::<Vec<_>>(), [entity]);
    /// ```
    #[must_use = "nothing is recorded for a reader that is dropped"]
    pub fn removed_reader_by_id(&mut self, id: ComponentId) -> Option<RemovedComponentReader<ErasedValue>> {
        removed_reader_by_id(&mut self.store, id)
    }
}

impl<'w> EntityRef<'w> {
    /// Returns the value of a component, or the values of several: see [`DynamicComponentFetch`].
    ///
    /// # Errors
    ///
    /// If the entity does not have one of the components, or if this world has no component with one of the ids.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let entity = world.entity(entity);
    /// let shown: Vec<String> =
    ///     entity.components().map(|id| format!("{:?}", entity.get_by_id(id).unwrap())).collect();
    /// assert_eq!(shown, ["Health(3)"]);
    /// ```
    pub fn get_by_id<F: DynamicComponentFetch>(&self, ids: F) -> Result<F::Ref<'w>, ErasedAccessError> {
        ids.fetch_ref(self.0)
    }
}

impl EntityMut<'_> {
    /// Returns the value of a component, borrowed mutably, or the values of several: see [`DynamicComponentFetch`].
    ///
    /// # Errors
    ///
    /// Same as [`EntityRef::get_by_id`]; also if one of the components is immutable, or if an id occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let health = world.component_id::<Health>().unwrap();
    /// for mut entity in world.iter_entities_mut() {
    ///     entity.get_mut_by_id(health).unwrap().downcast_mut::<Health>().unwrap().0 += 1;
    /// }
    /// assert_eq!(world.get(id), Some(&Health(4)));
    /// ```
    pub fn get_mut_by_id<F: DynamicComponentFetch>(&mut self, ids: F) -> Result<F::Mut<'_>, ErasedAccessError> {
        ids.fetch_mut(self.0.reborrow())
    }

    /// Sets a field of a component, given by its path: see [`ErasedMut::set_field`]. The component counts as changed
    /// only if this succeeds.
    ///
    /// # Errors
    ///
    /// If the component cannot be borrowed mutably, or if [`ErasedMut::set_field`] fails. Then nothing has changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health { pub points: u32 }
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health { points: 3 }).id();
    /// let health = world.component_id::<Health>().unwrap();
    /// for mut entity in world.iter_entities_mut() {
    ///     entity.set_field(health, "points", 4_u32).unwrap();
    /// }
    /// assert_eq!(world.get::<Health>(id).unwrap().points, 4);
    /// ```
    #[track_caller]
    pub fn set_field<T: 'static>(&mut self, id: ComponentId, path: &str, value: T) -> Result<(), SetFieldError> {
        Ok(self.get_mut_by_id(id)?.set_field(path, value)?)
    }

    /// Returns the value of a component.
    ///
    /// # Errors
    ///
    /// Same as [`EntityRef::get_by_id`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let health = world.component_id::<Health>().unwrap();
    /// let entity = world.iter_entities_mut().next().unwrap();
    /// assert_eq!(entity.get_by_id(health).unwrap().downcast_ref(), Some(&Health(3)));
    /// ```
    pub fn get_by_id<F: DynamicComponentFetch>(&self, ids: F) -> Result<F::Ref<'_>, ErasedAccessError> {
        self.as_readonly().get_by_id(ids)
    }
}

/// Access to components by id. If the entity was despawned through [`EntityWorldMut::world_scope`], these methods
/// return errors.
impl EntityWorldMut<'_> {
    /// Returns the value of a component, borrowed mutably, or the values of several: see [`DynamicComponentFetch`].
    ///
    /// # Errors
    ///
    /// Same as [`EntityMut::get_mut_by_id`]; also if the entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let mut entity = world.spawn(Health(3));
    /// entity.get_mut_by_id(health).unwrap().downcast_mut::<Health>().unwrap().0 = 4;
    /// assert_eq!(entity.get(), Some(&Health(4)));
    /// ```
    pub fn get_mut_by_id<F: DynamicComponentFetch>(&mut self, ids: F) -> Result<F::Mut<'_>, ErasedAccessError> {
        let entity = self.target();
        ids.fetch_mut(WriteEntity::new(self.at.store_mut(), entity))
    }

    /// Sets a field of a component, given by its path: see [`ErasedMut::set_field`]. The component counts as changed
    /// only if this succeeds.
    ///
    /// # Errors
    ///
    /// If the component cannot be borrowed mutably, or if [`ErasedMut::set_field`] fails. Then nothing has changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "health")]
    /// struct Health {
    ///     pub points: u32,
    /// }
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health { points: 3 });
    /// let health = entity.world().components().get_id_by_name("health").unwrap();
    /// entity.set_field(health, "points", 4_u32).unwrap();
    /// assert_eq!(entity.get::<Health>().unwrap().points, 4);
    /// ```
    #[track_caller]
    pub fn set_field<T: 'static>(&mut self, id: ComponentId, path: &str, value: T) -> Result<(), SetFieldError> {
        Ok(self.get_mut_by_id(id)?.set_field(path, value)?)
    }

    /// Adds a component, or replaces its value. A replaced value is dropped at the end. Required components are added
    /// as by [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// If the entity is not alive, if this world has no component with this id, if the values of the component are not of type `T`, or if
    /// an allocation fails. The entity is unchanged, and the error contains the value in a box.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let heat = world.register_component_with_descriptor(heat).unwrap();
    /// let mut entity = world.spawn_empty();
    /// entity.insert_by_id(heat, 21.5_f32).unwrap();
    /// let error = entity.insert_by_id(heat, 21.5_f64).unwrap_err();
    /// assert!(error.to_string().ends_with("`mod:heat` has values of type `f32`, and no values of type `f64`"));
    /// ```
    #[track_caller]
    pub fn insert_by_id<T: Send + Sync + 'static>(
        &mut self,
        id: ComponentId,
        value: T,
    ) -> Result<&mut Self, InsertErasedError<Box<T>>> {
        let value = Box::new(value);
        let descriptor = match self.at.descriptor_for::<T>(id) {
            Ok(descriptor) => descriptor,
            Err(error) => return Err(InsertErasedError::new(error, value)),
        };
        match self.at.track_caller().insert_erased(ErasedValue::of_box(descriptor, value)) {
            Ok(()) => Ok(self),
            Err(error) => Err(error.typed()),
        }
    }

    /// Adds several components in one move, like [`insert_by_id`](Self::insert_by_id).
    ///
    /// # Errors
    ///
    /// Same as [`insert_by_id`](Self::insert_by_id). Also if a value does not belong to the component with its id, or
    /// if an id occurs twice. The error contains all values.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let (health, mana) = (world.register_component::<Health>(), world.register_component::<Mana>());
    /// let mut entity = world.spawn_empty();
    /// entity.insert_by_ids([(health, ErasedValue::of(Health(3))), (mana, ErasedValue::of(Mana(7)))]).unwrap();
    /// assert_eq!(entity.get(), Some(&Mana(7)));
    /// ```
    #[track_caller]
    pub fn insert_by_ids(
        &mut self,
        values: impl IntoIterator<Item = (ComponentId, ErasedValue)>,
    ) -> Result<&mut Self, InsertErasedError<alloc::vec::Vec<(ComponentId, ErasedValue)>>> {
        let values = values.into_iter().collect();
        self.at.track_caller().insert_by_ids(values)?;
        Ok(self)
    }

    /// Adds a component with this value. The component is registered in this world if necessary.
    ///
    /// # Errors
    ///
    /// If the entity is not alive, if the component cannot be registered, as in [`World::register_component_with_descriptor`], or if an
    /// allocation fails. The entity is unchanged, and the error contains the value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let (mut world, mut other) = (World::new(), World::new());
    /// let entity = world.spawn(Health(3)).id();
    /// let mut copy = other.spawn_empty();
    /// let entity = world.entity(entity);
    /// for id in entity.components() {
    ///     copy.insert_erased(entity.get_by_id(id).unwrap().try_clone().unwrap()).unwrap();
    /// }
    /// assert_eq!(copy.get(), Some(&Health(3)));
    /// ```
    #[track_caller]
    pub fn insert_erased(&mut self, value: ErasedValue) -> Result<&mut Self, InsertErasedError<ErasedValue>> {
        self.at.track_caller().insert_erased(value)?;
        Ok(self)
    }

    /// Takes the value of a component out of the entity.
    ///
    /// # Errors
    ///
    /// If the entity is not alive, if it does not have the component, or if this world has no component with this id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let [from, to] = [world.spawn(Health(3)).id(), world.spawn_empty().id()];
    /// let value = world.entity_mut(from).take_by_id(health).unwrap();
    /// world.entity_mut(to).insert_erased(value).unwrap();
    /// assert_eq!((world.get::<Health>(from), world.get(to)), (None, Some(&Health(3))));
    /// ```
    #[track_caller]
    pub fn take_by_id(&mut self, id: ComponentId) -> Result<ErasedValue, ErasedAccessError> {
        self.at.track_caller().take_by_id(id)
    }

    /// Removes a component and drops its value. If the entity does not have the component, nothing happens.
    ///
    /// # Errors
    ///
    /// If the entity is not alive, or if this world has no component with this id.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let mut entity = world.spawn(Health(3));
    /// entity.remove_by_id(health).unwrap();
    /// assert!(!entity.contains_id(health));
    /// ```
    #[track_caller]
    pub fn remove_by_id(&mut self, id: ComponentId) -> Result<&mut Self, ErasedAccessError> {
        self.remove_by_ids(&[id])
    }

    /// Removes several components in one move, and drops their values. Components that the entity does not have are
    /// skipped.
    ///
    /// # Errors
    ///
    /// Same as [`remove_by_id`](Self::remove_by_id). If there is an error, nothing is removed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let mut entity = world.spawn(Health(3));
    /// let all: Vec<_> = entity.as_readonly().components().collect();
    /// entity.remove_by_ids(&all).unwrap();
    /// assert!(!entity.contains_id(health));
    /// ```
    #[track_caller]
    pub fn remove_by_ids(&mut self, ids: &[ComponentId]) -> Result<&mut Self, ErasedAccessError> {
        self.at.track_caller().remove_by_ids(ids)?;
        Ok(self)
    }

    /// Returns the value of a component.
    ///
    /// # Errors
    ///
    /// Same as [`World::get_by_id`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3));
    /// assert_eq!(entity.get_by_id(health).unwrap().downcast_ref(), Some(&Health(3)));
    /// ```
    pub fn get_by_id<F: DynamicComponentFetch>(&self, ids: F) -> Result<F::Ref<'_>, ErasedAccessError> {
        self.as_readonly().get_by_id(ids)
    }

    forward! {
        as_readonly:

        /// Returns the ticks at which a component was added and changed, if the entity has the component and it is
        /// tracked: see [`EntityRef::get_change_ticks`].
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component, Debug, PartialEq)]
        /// # struct Health(u32);
        ///
        /// let mut world = World::new();
        /// let health = world.register_component::<Health>();
        /// let _watcher = world.query_filtered::<(), Changed<Health>>();
        /// assert!(world.spawn(Health(3)).get_change_ticks_by_id(health).is_some());
        /// ```
        fn get_change_ticks_by_id(&self, id: ComponentId) -> Option<ComponentTicks>;
    }
}
