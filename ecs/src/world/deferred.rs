//! A world that allows changes of values, but no structural changes.
//!
//! Tests: tests/storage/world.rs

use core::ops::Deref;

use super::cast::World;
use super::entity_fetch::WorldEntityFetch;
use super::entity_fetcher::EntityFetcher;
pub use crate::component::DeferredWorld;
use crate::component::MutableComponent;
use crate::entity::Entity;
use crate::query::change::Mut;
use crate::query::{Query, QueryData, QueryFilter, QueryState};
use crate::storage::message::{Message, MessageId};
use crate::storage::resource::Resource;
use crate::structure::store::Store;
use crate::system::commands::Commands;

impl<'w> From<&'w mut World> for DeferredWorld<'w> {
    fn from(world: &'w mut World) -> Self {
        Self::of(world)
    }
}

impl Deref for DeferredWorld<'_> {
    type Target = World;

    #[inline]
    fn deref(&self) -> &World {
        self.world_as()
    }
}

impl_debug!([] DeferredWorld<'_> => |this, f| f.debug_tuple("DeferredWorld").field(&**this).finish());

impl DeferredWorld<'_> {
    #[inline]
    fn world_mut(&mut self) -> &mut World {
        self.world_as_mut()
    }

    /// Returns the store. The caller must make no structural change.
    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.world_mut().store
    }

    /// Returns commands. They are applied by the next [`World::flush`] or, in a hook or an observer, after the dispatch
    /// of the current event.
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.world_mut().commands()
    }

    /// Returns mutable access to the entities, together with commands: see [`World::entities_and_commands`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::DeferredWorld;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.spawn(Health(3)).id();
    /// let mut deferred = DeferredWorld::from(&mut world);
    /// let (entities, mut commands) = deferred.entities_and_commands();
    /// let health = entities.get(id).unwrap().get::<Health>().unwrap();
    /// commands.spawn(Health(health.0));
    /// world.flush();
    /// assert_eq!(world.len(), 2);
    /// ```
    pub fn entities_and_commands(&mut self) -> (EntityFetcher<'_>, Commands<'_, '_>) {
        self.world_mut().entities_and_commands()
    }

    /// Returns a component of an entity, borrowed mutably, like [`World::get_mut`].
    #[must_use]
    pub fn get_mut<T: MutableComponent>(&mut self, entity: Entity) -> Option<Mut<'_, T>> {
        self.world_mut().get_mut(entity)
    }

    /// Returns mutable access to the components of one entity or several.
    ///
    /// # Panics
    ///
    /// If an entity is not alive, or occurs twice.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::DeferredWorld;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
    /// let mut deferred = DeferredWorld::from(&mut world);
    /// let [mut a, b] = deferred.entity_mut(ids);
    /// a.get_mut::<Health>().unwrap().0 += b.get::<Health>().unwrap().0;
    /// assert_eq!(world.get(ids[0]), Some(&Health(3)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn entity_mut<E: WorldEntityFetch>(&mut self, entities: E) -> E::DeferredMut<'_> {
        match self.get_entity_mut(entities) {
            Ok(found) => found,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns mutable access to the components of one entity or several.
    ///
    /// # Errors
    ///
    /// If an entity is not alive, or occurs twice.
    pub fn get_entity_mut<E: WorldEntityFetch>(&mut self, entities: E) -> Result<E::DeferredMut<'_>, E::MutError> {
        entities.fetch_deferred_mut(self.world_mut().write_entities())
    }

    /// Returns a query over this world, like [`QueryState::query_mut`].
    pub fn query<'s, D: QueryData, F: QueryFilter>(&mut self, state: &'s mut QueryState<D, F>) -> Query<'_, 's, D, F> {
        state.query_mut(self.world_mut())
    }

    /// Returns a resource, borrowed mutably.
    ///
    /// # Panics
    ///
    /// If it does not exist.
    #[must_use]
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> Mut<'_, R> {
        self.world_mut().resource_mut()
    }

    /// Returns a resource, borrowed mutably; `None` if it does not exist.
    #[must_use]
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<Mut<'_, R>> {
        self.world_mut().get_resource_mut()
    }

    /// Writes a message, and returns its id.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn write_message<M: Message>(&mut self, message: M) -> MessageId<M> {
        // This call may be within an operation with another caller, which is restored below.
        let caller = self.entities().caller();
        let id = self.world_mut().write_message(message);
        self.store_mut().structure.entities.set_caller(caller);
        id
    }
}
