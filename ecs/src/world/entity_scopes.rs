//! Conversions of an [`EntityWorldMut`] to its world and to references with the lifetime of the world, and methods that
//! call a function and return to the entity afterwards.
//!
//! Tests: tests/commands/made.rs

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::entity_ref::{EntityMut, EntityRef};
use crate::component::{Component, MutableComponent};
use crate::entity::Entity;
use crate::query::change::{Mut, Ref, WriteEntity};
use crate::storage::resource::Resource;

impl<'w> EntityWorldMut<'w> {
    /// Converts the entity to a view with mutable access to its components, without structural changes.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Health(3)).into_mutable();
    /// entity.get_mut::<Health>().unwrap().0 += 1;
    /// assert_eq!(entity.get(), Some(&Health(4)));
    /// ```
    #[must_use]
    pub fn into_mutable(self) -> EntityMut<'w> {
        let id = self.target();
        EntityMut(WriteEntity::new(self.at.into_store(), id))
    }

    /// Returns the world for reading.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty();
    /// assert_eq!(entity.world().len(), 1);
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        World::from_store(self.at.store())
    }

    /// Calls a function with the whole world. Afterwards the entity is looked up again.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// let other = entity.world_scope(|world| world.spawn(Health(3)).id());
    /// entity.insert(Health(4));
    /// assert_eq!(world.get(other), Some(&Health(3)));
    /// ```
    pub fn world_scope<T>(&mut self, scope: impl FnOnce(&mut World) -> T) -> T {
        scope(World::from_store_mut(self.at.store_mut()))
    }

    /// Converts the entity to its world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn spawn_two(world: &mut World) -> &mut World {
    ///     world.spawn_empty().into_world_mut().spawn_empty().into_world_mut()
    /// }
    ///
    /// assert_eq!(spawn_two(&mut World::new()).len(), 2);
    /// ```
    #[must_use]
    pub fn into_world_mut(self) -> &'w mut World {
        World::from_store_mut(self.at.into_store())
    }

    /// Returns whether the entity is still alive. It may have been despawned through
    /// [`world_scope`](Self::world_scope).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// let id = entity.id();
    /// entity.world_scope(|world| world.despawn(id));
    /// assert!(entity.is_despawned() && !entity.is_spawned());
    /// ```
    #[must_use]
    pub fn is_spawned(&self) -> bool {
        self.world().contains(self.target())
    }

    /// Returns whether the entity is not alive any more: the negation of [`is_spawned`](Self::is_spawned).
    #[must_use]
    pub fn is_despawned(&self) -> bool {
        !self.is_spawned()
    }

    /// Applies the pending commands of the world, and returns the id of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.commands().spawn_empty();
    /// let entity = world.spawn_empty().flush();
    /// assert!(world.contains(entity));
    /// assert_eq!(world.len(), 2);
    /// ```
    pub fn flush(self) -> Entity {
        let id = self.id();
        self.into_world_mut().flush();
        id
    }

    /// Converts the entity to a read-only view with the lifetime of the world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity: EntityRef = world.spawn(Health(3)).into_readonly();
    /// assert_eq!(entity.get(), Some(&Health(3)));
    /// ```
    #[must_use]
    pub fn into_readonly(self) -> EntityRef<'w> {
        self.into_mutable().into_readonly()
    }

    /// Returns a component, borrowed for the lifetime of the world.
    #[must_use]
    pub fn into_borrow<T: Component>(self) -> Option<&'w T> {
        self.into_readonly().get()
    }

    /// Returns a component with its change ticks, borrowed for the lifetime of the world.
    #[must_use]
    pub fn into_ref<T: Component>(self) -> Option<Ref<'w, T>> {
        self.into_readonly().get_ref()
    }

    /// Returns a component, borrowed mutably for the lifetime of the world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
    ///
    /// fn spawn(world: &mut World) -> Mut<'_, Health> {
    ///     world.spawn(Health(3)).into_mut().unwrap()
    /// }
    /// assert_eq!(spawn(&mut World::new()).0, 3);
    /// ```
    #[must_use]
    pub fn into_mut<T: MutableComponent>(self) -> Option<Mut<'w, T>> {
        self.into_mutable().into_mut()
    }

    /// Calls a function with this entity and a resource, which is removed from the world during the call: see
    /// [`World::resource_scope`].
    ///
    /// # Panics
    ///
    /// If the resource does not exist, or the entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Number(u32);
    /// #[derive(Resource)]
    /// struct Next(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Next(7));
    /// let mut entity = world.spawn_empty();
    /// entity.resource_scope(|entity, mut next: Mut<Next>| {
    ///     entity.insert(Number(next.0));
    ///     next.0 += 1;
    /// });
    /// assert_eq!((entity.get(), entity.resource::<Next>().0), (Some(&Number(7)), 8));
    /// ```
    #[track_caller]
    pub fn resource_scope<R: Resource, T>(
        &mut self,
        scope: impl FnOnce(&mut EntityWorldMut<'_>, Mut<'_, R>) -> T,
    ) -> T {
        let id = self.expect_target();
        // A panic in the closure would not name the caller's line.
        let _ = self.location();
        World::from_store_mut(self.at.store_mut())
            .resource_scope(|world, resource| scope(&mut world.entity_mut(id), resource))
    }

    /// Like [`resource_scope`](Self::resource_scope), but returns `None` if the resource does not exist.
    ///
    /// # Panics
    ///
    /// If the resource exists and the entity is not alive.
    #[track_caller]
    pub fn try_resource_scope<R: Resource, T>(
        &mut self,
        scope: impl FnOnce(&mut EntityWorldMut<'_>, Mut<'_, R>) -> T,
    ) -> Option<T> {
        let id = self.expect_target();
        if self.world().contains_resource::<R>() {
            // A panic in the closure would not name the caller's line.
            let _ = self.location();
        }
        self.world_scope(|world| world.try_resource_scope(|world, resource| scope(&mut world.entity_mut(id), resource)))
    }

    /// Passes the entity by value to a function. This `EntityWorldMut` can be used afterwards, even if the function
    /// despawned the entity.
    ///
    /// # Panics
    ///
    /// If the entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn_empty();
    /// entity.reborrow_scope(|entity| entity.despawn());
    /// assert!(entity.is_despawned());
    /// ```
    #[track_caller]
    pub fn reborrow_scope<T>(&mut self, scope: impl FnOnce(EntityWorldMut<'_>) -> T) -> T {
        let id = self.expect_target();
        scope(World::from_store_mut(self.at.store_mut()).entity_mut(id))
    }
}
