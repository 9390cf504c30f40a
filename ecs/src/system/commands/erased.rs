//! Commands for components by id.
//!
//! Tests: tests/storage/erased/commands.rs

use alloc::boxed::Box;
use alloc::string::String;

use super::api::EntityCommands;
use crate::component::{ComponentId, ErasedValue};
use crate::entity::Entity;
use crate::query::change::WriteEntity;
use crate::structure::store::{CommandFailure, ErasedAccessError, Store, StoreEntityMut};

impl EntityCommands<'_> {
    /// Adds a component, or replaces its value: see [`EntityWorldMut::insert_by_id`]. Errors are detected when the
    /// command is applied, and reported as a [command error](crate::store::CommandError). After an error the value is
    /// dropped.
    ///
    /// [`EntityWorldMut::insert_by_id`]: crate::world::EntityWorldMut::insert_by_id
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn_empty().id();
    /// world.commands().entity(entity).insert_by_id(health, Health(3)).insert_by_id(health, "four");
    /// world.flush();
    /// assert_eq!(world.get(entity), Some(&Health(3)));
    /// let (errors, _) = world.take_command_errors();
    /// assert!(errors[0].to_string().ends_with("and no values of type `&str`"));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_by_id<T: Send + Sync + 'static>(&mut self, id: ComponentId, value: T) -> &mut Self {
        let value = Box::new(value);
        self.push_reported("insert_by_id", move |store, entity| match StoreEntityMut::find(store, entity) {
            Ok(mut at) => at.descriptor_for::<T>(id).and_then(|descriptor| {
                at.insert_erased(ErasedValue::of_box(descriptor, value)).map_err(ErasedAccessError::from)
            }),
            Err(_) => Err(store.structure.why_no_value(entity, id)),
        })
    }

    /// Adds a type-erased value of a component: see [`EntityWorldMut::insert_erased`]. Errors are handled as in
    /// [`insert_by_id`](Self::insert_by_id).
    ///
    /// [`EntityWorldMut::insert_erased`]: crate::world::EntityWorldMut::insert_erased
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.commands().spawn_empty().insert_erased(ErasedValue::of(Health(3))).id();
    /// world.flush();
    /// assert_eq!(world.get(entity), Some(&Health(3)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_erased(&mut self, value: ErasedValue) -> &mut Self {
        let component = value.descriptor().name();
        self.push_reported("insert_erased", move |store, entity| match StoreEntityMut::find(store, entity) {
            Ok(mut at) => at.insert_erased(value).map_err(ErasedAccessError::from),
            Err(error) => Err(ErasedAccessError::Entity { error, component }),
        })
    }

    /// Removes a component, if the entity has it: see [`EntityWorldMut::remove_by_id`]. Errors are handled as in
    /// [`insert_by_id`](Self::insert_by_id).
    ///
    /// [`EntityWorldMut::remove_by_id`]: crate::world::EntityWorldMut::remove_by_id
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health(3)).id();
    /// world.commands().entity(entity).remove_by_id(health);
    /// world.flush();
    /// assert!(!world.entity(entity).contains_id(health));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_by_id(&mut self, id: ComponentId) -> &mut Self {
        self.push_reported("remove_by_id", move |store, entity| match StoreEntityMut::find(store, entity) {
            Ok(mut at) => at.remove_by_ids(&[id]),
            Err(_) => Err(store.structure.why_no_value(entity, id)),
        })
    }

    /// Records a change of the entity. If the change fails when it is applied, its error is reported.
    #[cfg_attr(feature = "track_location", track_caller)]
    fn push_reported(
        &mut self,
        command: &'static str,
        change: impl FnOnce(&mut Store, Entity) -> Result<(), ErasedAccessError> + Send + 'static,
    ) -> &mut Self {
        let entity = self.id();
        self.commands().push(move |store| {
            store.place_if_pending(entity);
            let done = change(store, entity);
            report(store, command, done);
        });
        self
    }

    /// Sets a field of a component when the command is applied: see [`EntityWorldMut::set_field`]. The field is given
    /// by its path. Errors are reported as a [command error](crate::store::CommandError).
    ///
    /// [`EntityWorldMut::set_field`]: crate::world::EntityWorldMut::set_field
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health { pub points: u32 }
    ///
    /// let mut world = World::new();
    /// let health = world.register_component::<Health>();
    /// let entity = world.spawn(Health { points: 3 }).id();
    /// world.commands().entity(entity).set_field(health, "points", 4_u32);
    /// world.flush();
    /// assert_eq!(world.get::<Health>(entity).unwrap().points, 4);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn set_field<T: Send + 'static>(&mut self, id: ComponentId, path: impl Into<String>, value: T) -> &mut Self {
        let (entity, path) = (self.id(), path.into());
        self.commands().push(move |store| {
            let component = WriteEntity::new(store, entity).into_mut_by_id(id);
            match component.map(|mut component| component.set_field(&path, value)) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    store.commands.errors.report_other("set_field", error, store.structure.entities.caller())
                }
                Err(error) => report(store, "set_field", Err(error)),
            }
        });
        self
    }
}

/// Reports the error of a command, if there is one.
fn report(store: &mut Store, command: &'static str, done: Result<(), ErasedAccessError>) {
    let by = store.structure.entities.caller();
    match done {
        Ok(()) => {}
        Err(ErasedAccessError::Entity { error, component }) => {
            store.commands.errors.report(command, component, CommandFailure::Entity(error), by);
        }
        Err(error) => store.commands.errors.report_other(command, error, by),
    }
}
