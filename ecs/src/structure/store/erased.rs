//! Access to components by id, with values whose type is known at run time. Each operation checks everything before it changes anything.
//!
//! A [`ComponentId`] does not identify its world. If this world has no component with the id, the operation returns an error. Otherwise it
//! compares the type or the descriptor of the value, so an id of another world can at worst name another component; a value never gets a
//! wrong type.
//!
//! An insertion compares the descriptor of the value with the descriptor of the component (`is_same`), and then inserts the value as an
//! `EntityBuilder` does. Two descriptors with the same name are two components; `Components::try_adopt` refuses the second one in a world.
//! Fields can be read only if their type is plain data (`PlainData`), because the `unsafe` code of a type may rely on its private fields.
//!
//! Tests: tests/storage/erased

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;

use super::{EntityBuilder, StoreEntityMut, Structure, bundle_components};
use crate::component::{
    ComponentDescriptor, ComponentId, ComponentInfo, ErasedRef, ErasedSlice, ErasedValue, FieldError,
    RegisterComponentError,
};
use crate::entity::{Entity, EntityError, TableId};
use crate::structure::bundle::Bundle;
use crate::util::alloc_error::AllocError;

/// A component of an entity cannot be accessed by its id. Nothing has changed.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::store::ErasedAccessError;
/// # #[derive(Component)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let entity = world.spawn_empty().id();
/// let error = world.get_by_id(entity, health).unwrap_err();
/// assert!(matches!(error, ErasedAccessError::Missing { component, .. } if component.ends_with("Health")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErasedAccessError {
    /// The entity is not alive.
    Entity {
        /// Why the entity cannot be accessed.
        error: EntityError,
        /// The name of the requested component.
        component: &'static str,
    },
    /// The world has no component with this id: it is an id of another world.
    UnknownComponent {
        /// The entity.
        entity: Entity,
        /// The id.
        id: ComponentId,
    },
    /// The entity does not have the component.
    Missing {
        /// The entity.
        entity: Entity,
        /// The name of the component.
        component: &'static str,
    },
    /// A component of the entity was requested twice for mutable access.
    AliasedMutability {
        /// The entity.
        entity: Entity,
        /// The id of the component.
        id: ComponentId,
    },
    /// The component is immutable, so its value cannot be borrowed mutably. Insert a new value instead.
    Immutable {
        /// The entity.
        entity: Entity,
        /// The name of the component.
        component: &'static str,
    },
    /// The values of the component are of another type.
    WrongType {
        /// The entity.
        entity: Entity,
        /// The name of the component.
        component: &'static str,
        /// The full type name of the component's values.
        expected: &'static str,
        /// The full name of the type that was given.
        found: &'static str,
    },
    /// The given value belongs to another component than the one with the given id.
    WrongComponent {
        /// The entity.
        entity: Entity,
        /// The name of the component with this id.
        component: &'static str,
        /// The name of the component that the value belongs to.
        found: &'static str,
    },
    /// Two values were given for one component.
    Duplicate {
        /// The entity.
        entity: Entity,
        /// The name of the component.
        component: &'static str,
    },
    /// The component of the value cannot be registered in this world.
    Register {
        /// The entity.
        entity: Entity,
        /// Why it cannot be registered.
        error: RegisterComponentError,
    },
    /// There is no memory for the value.
    OutOfMemory {
        /// The entity.
        entity: Entity,
        /// The name of the component; if there are several, the name of the first one.
        component: &'static str,
        /// The allocation that failed.
        error: AllocError,
    },
}

impl_error! {
    [] ErasedAccessError => |this, f| match this {
        Self::Entity { error, component } => write!(f, "component `{component}`: {error}"),
        Self::UnknownComponent { entity, id } => write!(
            f,
            "entity {entity}: this world has no component with number {}; it is an id of another world",
            id.index()
        ),
        Self::Missing { entity, component } => write!(f, "entity {entity} does not have component `{component}`"),
        Self::AliasedMutability { entity, id } => write!(
            f,
            "entity {entity}: the component with number {} was asked for twice, and can be borrowed mutably once at a time",
            id.index()
        ),
        Self::Immutable { entity, component } => {
            write!(
                f,
                "entity {entity}: component `{component}` is immutable: insert another value instead of changing it"
            )
        }
        Self::WrongType { entity, component, expected, found } => write!(
            f,
            "entity {entity}: component `{component}` has values of type `{expected}`, and no values of type `{found}`"
        ),
        Self::WrongComponent { entity, component, found } => {
            write!(f, "entity {entity}: the value for component `{component}` is a value of component `{found}`")
        }
        Self::Duplicate { entity, component } => {
            write!(f, "entity {entity}: two values were given for component `{component}`")
        }
        Self::Register { entity, error } => write!(f, "entity {entity}: {error}"),
        Self::OutOfMemory { entity, component, error } => {
            write!(f, "entity {entity}, component `{component}`: {error}")
        }
    }
}

/// Values could not be inserted. The entity is unchanged. The error contains the values.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let mut entity = world.spawn_empty();
/// let error = entity.insert_by_id(health, "three").unwrap_err();
/// assert!(error.to_string().ends_with("and no values of type `&str`"));
/// assert_eq!(*error.into_inner(), "three");
/// ```
pub struct InsertErasedError<V> {
    error: ErasedAccessError,
    value: V,
}

impl<V> InsertErasedError<V> {
    pub(crate) fn new(error: ErasedAccessError, value: V) -> Self {
        Self { error, value }
    }

    /// Returns the reason.
    #[must_use]
    pub fn error(&self) -> &ErasedAccessError {
        &self.error
    }

    /// Returns the values that could not be inserted.
    #[must_use]
    pub fn into_inner(self) -> V {
        self.value
    }
}

impl InsertErasedError<ErasedValue> {
    /// Converts the value to its type `T`.
    #[cold]
    #[inline(never)]
    pub(crate) fn typed<T: 'static>(self) -> InsertErasedError<Box<T>> {
        match self.value.downcast() {
            Ok(value) => InsertErasedError { error: self.error, value: Box::new(value) },
            Err(_) => unreachable!("the value has its type"),
        }
    }
}

impl<V> From<InsertErasedError<V>> for ErasedAccessError {
    fn from(error: InsertErasedError<V>) -> Self {
        error.error
    }
}

impl_display!([V] InsertErasedError<V> => |this, f| this.error.fmt(f));

impl_debug!([V] InsertErasedError<V> => |this, f| f.debug_tuple("InsertErasedError").field(&this.error).finish());

impl<V> core::error::Error for InsertErasedError<V> {}

/// The values of a component in a table cannot be borrowed as a slice.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::store::ColumnAccessError;
/// # #[derive(Component, Debug)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let table = world.spawn_empty().location().table;
/// let error = world.column_by_id::<Health>(table, health).unwrap_err();
/// assert!(matches!(error, ColumnAccessError::NoColumn { component, .. } if component.ends_with("Health")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnAccessError {
    /// The world has no table with this number.
    UnknownTable(TableId),
    /// The world has no component with this id: it is an id of another world.
    UnknownComponent(ComponentId),
    /// The entities of the table do not have the component, or it is in sparse storage.
    NoColumn {
        /// The table.
        table: TableId,
        /// The name of the component.
        component: &'static str,
    },
    /// The component is immutable, so its values cannot be borrowed mutably. Insert new values instead.
    Immutable {
        /// The name of the component.
        component: &'static str,
    },
    /// The values of the component are of another type.
    WrongType {
        /// The name of the component.
        component: &'static str,
        /// The full type name of the component's values.
        expected: &'static str,
        /// The full name of the type that was requested.
        found: &'static str,
    },
}

/// A field of a component of an entity could not be set: see [`EntityWorldMut::set_field`](crate::world::EntityWorldMut::set_field).
///
/// ```
/// use strata_ecs::component::FieldError;
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::SetFieldError;
/// # #[derive(Component)] struct Health { pub points: u32 }
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let mut entity = world.spawn(Health { points: 3 });
/// let error = entity.set_field(health, "point", 4_u32).unwrap_err();
/// assert!(matches!(error, SetFieldError::Field(FieldError::Unknown { fields, .. }) if fields == ["points"]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetFieldError {
    /// The component cannot be changed: this world does not have it, the entity does not have it or is not alive, or it is immutable.
    Component(ErasedAccessError),
    /// The component has no such field, or the field cannot be set to the given value.
    Field(FieldError),
}

impl_from_variant!(SetFieldError: Component(ErasedAccessError), SetFieldError: Field(FieldError));

impl_display! {
    [] SetFieldError => |this, f| match this {
        Self::Component(error) => error.fmt(f),
        Self::Field(error) => error.fmt(f),
    }
}

impl core::error::Error for SetFieldError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Component(error) => Some(error),
            Self::Field(error) => Some(error),
        }
    }
}

impl_error! {
    [] ColumnAccessError => |this, f| match this {
        Self::UnknownTable(table) => write!(f, "this world has no table with number {}", table.index()),
        Self::UnknownComponent(id) => {
            write!(f, "this world has no component with number {}; it is an id of another world", id.index())
        }
        Self::NoColumn { table, component } => {
            write!(f, "table {} has no column of component `{component}`", table.index())
        }
        Self::Immutable { component } => {
            write!(f, "component `{component}` is immutable: insert other values instead of changing them")
        }
        Self::WrongType { component, expected, found } => {
            write!(f, "component `{component}` has values of type `{expected}`, and no values of type `{found}`")
        }
    }
}

/// One value for each of several components, with the id of the component.
pub(crate) type ErasedValues = Vec<(ComponentId, ErasedValue)>;

impl Structure {
    /// Checks that the values of a component in a table can be borrowed as a mutable slice of type `T`.
    pub(crate) fn check_column_mut<T: 'static>(
        &self,
        table: TableId,
        id: ComponentId,
    ) -> Result<(), ColumnAccessError> {
        if self.values_by_id::<T>(table, id).is_none() {
            return Err(self.why_no_column::<T>(table, id));
        }
        match self.archetypes.components.info(id).filter(|info| !info.mutable()) {
            Some(info) => Err(ColumnAccessError::Immutable { component: info.name() }),
            None => Ok(()),
        }
    }

    /// Returns the metadata of a component. `entity` is only used in the error.
    pub(crate) fn component_by_id(&self, entity: Entity, id: ComponentId) -> Result<&ComponentInfo, ErasedAccessError> {
        self.archetypes.components.info(id).ok_or(ErasedAccessError::UnknownComponent { entity, id })
    }

    /// Borrows the value of a component of an entity.
    pub(crate) fn get_by_id(&self, entity: Entity, id: ComponentId) -> Result<ErasedRef<'_>, ErasedAccessError> {
        self.value_by_id(entity, id).ok_or_else(|| self.why_no_value(entity, id))
    }

    /// Returns the reason why [`Store::place_by_id`] found nothing.
    #[cold]
    pub(crate) fn why_no_value(&self, entity: Entity, id: ComponentId) -> ErasedAccessError {
        match (self.component_by_id(entity, id), self.entities.locate(entity)) {
            (Err(error), _) => error,
            (Ok(info), Err(error)) => ErasedAccessError::Entity { error, component: info.name() },
            (Ok(info), Ok(_)) => ErasedAccessError::Missing { entity, component: info.name() },
        }
    }

    /// Returns the values of a component in a table, by row.
    pub(crate) fn column(&self, table: TableId, id: ComponentId) -> Result<ErasedSlice<'_>, ColumnAccessError> {
        self.erased_column(table, id).ok_or_else(|| self.why_no_column::<()>(table, id))
    }

    /// Returns the values of a component in a table, by row.
    pub(crate) fn column_by_id<T: 'static>(&self, table: TableId, id: ComponentId) -> Result<&[T], ColumnAccessError> {
        self.values_by_id(table, id).ok_or_else(|| self.why_no_column::<T>(table, id))
    }

    /// Returns the reason why [`Store::values_by_id`] found nothing.
    #[cold]
    fn why_no_column<T>(&self, table: TableId, id: ComponentId) -> ColumnAccessError {
        let Some(info) = self.archetypes.components.info(id) else { return ColumnAccessError::UnknownComponent(id) };
        let component = info.name();
        match self.archetypes.tables.get(table) {
            None => ColumnAccessError::UnknownTable(table),
            Some(found) if !found.contains(id) => ColumnAccessError::NoColumn { table, component },
            Some(_) => {
                let expected = info.descriptor().value_type_name();
                ColumnAccessError::WrongType { component, expected, found: type_name::<T>() }
            }
        }
    }
}

impl StoreEntityMut<'_> {
    /// Returns the metadata of a component if the entity is alive.
    fn component(&self, id: ComponentId) -> Result<&ComponentInfo, ErasedAccessError> {
        let entity = self.target();
        let info = self.store().structure.component_by_id(entity, id)?;
        let is_alive = self.store().structure.entities.locate(entity);
        is_alive.map_err(|error| ErasedAccessError::Entity { error, component: info.name() })?;
        Ok(info)
    }

    /// Returns the descriptor of a component, if its values have the type `T`.
    pub(crate) fn descriptor_for<T: 'static>(
        &self,
        id: ComponentId,
    ) -> Result<&'static ComponentDescriptor, ErasedAccessError> {
        let descriptor = self.component(id)?.descriptor();
        if descriptor.holds::<T>() {
            return Ok(descriptor);
        }
        let (component, expected) = (descriptor.name(), descriptor.value_type_name());
        Err(ErasedAccessError::WrongType { entity: self.target(), component, expected, found: type_name::<T>() })
    }

    /// Inserts a value. If the world does not have the component of the value, the component is registered.
    #[track_caller]
    pub(crate) fn insert_erased(&mut self, value: ErasedValue) -> Result<(), InsertErasedError<ErasedValue>> {
        let (entity, component) = (self.target(), value.descriptor().name());
        if let Err(error) = self.store().structure.entities.locate(entity) {
            return Err(InsertErasedError { error: ErasedAccessError::Entity { error, component }, value });
        }
        if let Err(error) = self.store_mut().register_descriptor(value.descriptor()) {
            return Err(InsertErasedError { error: ErasedAccessError::Register { entity, error }, value });
        }
        self.insert_all(EntityBuilder { parts: alloc::vec![value.into_values()] }).map_err(|(mut builder, error)| {
            match builder.parts.pop().and_then(ErasedValue::from_values) {
                Some(value) => InsertErasedError { error, value },
                None => unreachable!("the value has come back"),
            }
        })
    }

    /// Inserts several values in one structural change.
    #[track_caller]
    pub(crate) fn insert_by_ids(&mut self, values: ErasedValues) -> Result<(), InsertErasedError<ErasedValues>> {
        if let Err(error) = self.check_values(&values) {
            return Err(InsertErasedError { error, value: values });
        }
        let parts = values.into_iter().map(|(_, value)| value.into_values()).collect();
        self.insert_all(EntityBuilder { parts }).map_err(|(builder, error)| {
            let components = &mut self.store_mut().structure.archetypes.components;
            let id_of = |value: ErasedValue| Some((components.try_adopt(value.descriptor()).ok()?, value));
            let value = builder.parts.into_iter().filter_map(ErasedValue::from_values).filter_map(id_of).collect();
            InsertErasedError { error, value }
        })
    }

    /// Checks that the entity is alive, that each value belongs to its component, and that no component occurs twice.
    fn check_values(&self, values: &[(ComponentId, ErasedValue)]) -> Result<(), ErasedAccessError> {
        let entity = self.target();
        for (at, (id, value)) in values.iter().enumerate() {
            let info = self.component(*id)?;
            let component = info.name();
            if !info.descriptor().is_same(value.descriptor()) {
                return Err(ErasedAccessError::WrongComponent { entity, component, found: value.descriptor().name() });
            }
            if values[..at].iter().any(|(earlier, _)| earlier == id) {
                return Err(ErasedAccessError::Duplicate { entity, component });
            }
        }
        Ok(())
    }

    /// Inserts values of registered components into a live entity. If there is no memory, the values are returned.
    fn insert_all(&mut self, mut builder: EntityBuilder) -> Result<(), (EntityBuilder, ErasedAccessError)> {
        let (entity, component) = (self.target(), builder.names().next().unwrap_or_default());
        self.insert_dynamic(&mut builder)
            .map_err(|error| (builder, ErasedAccessError::OutOfMemory { entity, component, error }))
    }

    /// Removes a component and returns its value.
    pub(crate) fn take_by_id(&mut self, id: ComponentId) -> Result<ErasedValue, ErasedAccessError> {
        let (entity, component) = (self.target(), self.component(id)?.name());
        if !self.store().structure.has(entity, id) {
            return Err(ErasedAccessError::Missing { entity, component });
        }
        let taken = self.take_values(Some(&[id])).parts.pop().and_then(ErasedValue::from_values);
        taken.ok_or(ErasedAccessError::Missing { entity, component })
    }

    /// Removes the components of a bundle and all components that they require, in one structural change. Components that the entity does
    /// not have are skipped.
    #[track_caller]
    pub(crate) fn remove_with_requires<B: Bundle>(&mut self) {
        let (mut ids, required) = bundle_components::<B>(self.store_mut());
        ids.extend(required);
        ids.sort_unstable();
        ids.dedup();
        self.remove_components(&ids);
    }

    /// Removes components in one structural change. Components that the entity does not have are skipped.
    #[track_caller]
    pub(crate) fn remove_by_ids(&mut self, ids: &[ComponentId]) -> Result<(), ErasedAccessError> {
        ids.iter().try_for_each(|&id| self.component(id).map(|_| ()))?;
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        self.remove_components(&ids);
        Ok(())
    }
}

impl EntityBuilder {
    /// Adds a value of any component. If the builder has a value of the same component, that value is replaced and dropped.
    /// `O(components)`.
    ///
    /// ```
    /// use strata_ecs::component::{ComponentDescriptor, Description, ErasedValue};
    /// use strata_ecs::prelude::*;
    ///
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new()).build();
    /// let mut builder = EntityBuilder::new();
    /// builder.add_erased(ErasedValue::new(heat, 21.5_f32).unwrap());
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_dynamic(&mut builder).id();
    /// let heat = world.components().get_id_by_name("mod:heat").unwrap();
    /// assert_eq!(world.get_by_id(entity, heat).unwrap().downcast_ref(), Some(&21.5_f32));
    /// ```
    pub fn add_erased(&mut self, value: ErasedValue) -> &mut Self {
        drop(self.put(value.into_values()));
        self
    }

    /// Removes the value of a component from the builder and returns it; `None` if the builder does not have the component. The other
    /// values keep their order.
    ///
    /// ```
    /// use strata_ecs::component::ComponentDescriptor;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3));
    /// let value = builder.take_erased(ComponentDescriptor::of::<Health>()).unwrap();
    /// assert_eq!(value.downcast::<Health>().unwrap(), Health(3));
    /// assert!(builder.is_empty());
    /// ```
    #[must_use = "the value is dropped with what is returned"]
    pub fn take_erased(&mut self, descriptor: &'static ComponentDescriptor) -> Option<ErasedValue> {
        let at = self.parts.iter().position(|part| part.descriptor().is_same(descriptor))?;
        ErasedValue::from_values(self.parts.remove(at))
    }

    /// Returns the values, in the order in which they were added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3));
    /// assert_eq!(builder.iter_erased().next().unwrap().downcast_ref(), Some(&Health(3)));
    /// ```
    pub fn iter_erased(&self) -> impl Iterator<Item = ErasedRef<'_>> {
        self.parts.iter().filter_map(|part| part.first_erased())
    }
}
