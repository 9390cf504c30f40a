//! Small queries about a world, and aliases of other methods, under the names that they have in bevy_ecs.
//!
//! Tests: tests/storage/inspect.rs

use alloc::vec::Vec;
use core::borrow::Borrow;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::{Entity, EntityError, EntitySet};
use crate::query::change::{Ref, Tick};
use crate::query::{QueryData, QueryFilter, QueryManyUniqueIter, QueryState};
use crate::storage::resource::{Resource, missing_text};
use crate::structure::store::{SpawnAtError, WorldId};

impl World {
    /// Returns the descriptions of the components of an entity.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let names: Vec<&str> = world.inspect_entity(entity).unwrap().map(|(_, info)| info.name()).collect();
    /// assert!(names.len() == 1 && names[0].ends_with("Health"));
    /// ```
    pub fn inspect_entity(
        &self,
        entity: Entity,
    ) -> Result<impl Iterator<Item = (ComponentId, &ComponentInfo)>, EntityError> {
        let ids: Vec<ComponentId> = self.get_entity(entity)?.components().collect();
        Ok(ids.into_iter().filter_map(|id| Some((id, self.components().info(id)?))))
    }

    /// Returns the number of live entities, like [`len`](Self::len), under the name of bevy_ecs.
    #[must_use]
    pub fn entity_count(&self) -> u32 {
        self.len() as u32
    }

    /// Spawns an entity without components, with the given id, like [`spawn_at`](Self::spawn_at).
    ///
    /// # Errors
    ///
    /// Same as [`spawn_at`](Self::spawn_at).
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn_empty_at(&mut self, entity: Entity) -> Result<EntityWorldMut<'_>, SpawnAtError> {
        self.spawn_at(entity, ())
    }

    /// Returns a resource with its change ticks.
    ///
    /// # Panics
    ///
    /// If the resource does not exist.
    #[must_use]
    #[track_caller]
    pub fn resource_ref<R: Resource>(&self) -> Ref<'_, R> {
        let Some(resource) = self.get_resource_ref() else { panic!("{}", missing_text::<R>()) };
        resource
    }

    /// Calls a function with the world. During the call, changes after `last_change_tick` count as new outside of
    /// systems; see [`last_change_tick`](Self::last_change_tick).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    /// let before = world.change_tick();
    /// world.increment_change_tick();
    /// world.spawn(Health(3));
    /// world.clear_trackers();
    /// assert_eq!(changed.iter(&world).count(), 0);
    /// assert_eq!(world.last_change_tick_scope(before, |world| changed.iter(world).count()), 1);
    /// assert_eq!(changed.iter(&world).count(), 0);
    /// ```
    pub fn last_change_tick_scope<T>(&mut self, last_change_tick: Tick, scope: impl FnOnce(&mut Self) -> T) -> T {
        struct RestoreTick<'w> {
            world: &'w mut World,
            id: WorldId,
            before: Tick,
        }
        impl Drop for RestoreTick<'_> {
            fn drop(&mut self) {
                // The scope may have put another world in the place of this one.
                if self.world.id() == self.id {
                    self.world.store.clock.last.set(self.before);
                }
            }
        }
        let (id, before) = (self.id(), self.last_change_tick());
        self.store.clock.last.set(last_change_tick);
        let guard = RestoreTick { world: self, id, before };
        scope(guard.world)
    }
}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Returns the read-only query item of each entity of a set. See
    /// [`Query::iter_many_unique`](crate::query::Query::iter_many_unique).
    ///
    /// # Panics
    ///
    /// If the query was made for another world.
    pub fn iter_many_unique<'w, 's, E: EntitySet<Item: Borrow<Entity>>>(
        &'s mut self,
        world: &'w World,
        entities: E,
    ) -> QueryManyUniqueIter<'w, 's, D::ReadOnly, F, E::IntoIter> {
        self.query(world).iter_many_unique_inner(entities)
    }

    /// Returns the query item of each entity of a set. See [`Query::iter_many_unique_mut`](crate::query::Query::iter_many_unique_mut).
    ///
    /// # Panics
    ///
    /// If the query was made for another world.
    pub fn iter_many_unique_mut<'w, 's, E: EntitySet<Item: Borrow<Entity>>>(
        &'s mut self,
        world: &'w mut World,
        entities: E,
    ) -> QueryManyUniqueIter<'w, 's, D, F, E::IntoIter> {
        self.query_mut(world).iter_many_unique_inner(entities)
    }
}
