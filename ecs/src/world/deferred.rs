//! A world of which the values can be changed, and nothing else.

use core::ops::Deref;

use super::cast::World;
use super::entity_fetch::WorldEntityFetch;
use crate::change::Mut;
use crate::command::Commands;
use crate::component::MutableComponent;
use crate::entity::Entity;
use crate::message::{Message, MessageId};
use crate::query::{Query, QueryData, QueryFilter, QueryState};
use crate::resource::Resource;
use crate::store::Store;

/// A mutably borrowed world for code that must leave entities where they are: it can change components and resources, and record
/// [commands](DeferredWorld::commands), but not spawn, insert, remove or despawn.
///
/// Everything that a shared `World` can be asked can be asked of it.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::world::DeferredWorld;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// /// Code that calls this knows that the same entities are alive afterwards.
/// fn hit(mut world: DeferredWorld, target: Entity) {
///     let mut health = world.get_mut::<Health>(target).unwrap();
///     health.0 -= 1;
///     if health.0 == 0 {
///         world.commands().entity(target).despawn();
///     }
/// }
///
/// let mut world = World::new();
/// let target = world.spawn(Health(1)).id();
/// hit(DeferredWorld::from(&mut world), target);
/// assert_eq!(world.get(target), Some(&Health(0)));
/// world.flush();
/// assert!(!world.contains(target));
/// ```
#[derive(Debug)]
pub struct DeferredWorld<'w> {
    world: &'w mut World,
}

impl<'w> From<&'w mut World> for DeferredWorld<'w> {
    fn from(world: &'w mut World) -> Self {
        Self { world }
    }
}

impl Deref for DeferredWorld<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        self.world
    }
}

impl DeferredWorld<'_> {
    /// The same world for a shorter time.
    pub fn reborrow(&mut self) -> DeferredWorld<'_> {
        DeferredWorld { world: self.world }
    }

    /// The store, for code that keeps its structure.
    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.world.store
    }

    /// Commands that are applied by the next [`World::flush`], or when the event has been told of which the caller is told.
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.world.commands()
    }

    /// A component of an entity, to change it; as [`World::get_mut`].
    #[must_use]
    pub fn get_mut<T: MutableComponent>(&mut self, entity: Entity) -> Option<Mut<'_, T>> {
        self.world.get_mut(entity)
    }

    /// One entity or several, to change their components.
    ///
    /// # Panics
    ///
    /// If one is not alive, or was asked for twice.
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
        self.get_entity_mut(entities).unwrap_or_else(|error| panic!("{error}"))
    }

    /// One entity or several, to change their components.
    ///
    /// # Errors
    ///
    /// Says why, if one is not alive, or was asked for twice.
    pub fn get_entity_mut<E: WorldEntityFetch>(&mut self, entities: E) -> Result<E::DeferredMut<'_>, E::MutError> {
        entities.fetch_deferred_mut(self.world)
    }

    /// A query over this world; as [`QueryState::query_mut`].
    pub fn query<'s, D: QueryData, F: QueryFilter>(&mut self, state: &'s mut QueryState<D, F>) -> Query<'_, 's, D, F> {
        state.query_mut(self.world)
    }

    /// A resource, to change it.
    ///
    /// # Panics
    ///
    /// If it does not exist.
    #[must_use]
    #[track_caller]
    pub fn resource_mut<R: Resource>(&mut self) -> Mut<'_, R> {
        self.world.resource_mut()
    }

    /// A resource, to change it; `None` if it does not exist.
    #[must_use]
    pub fn get_resource_mut<R: Resource>(&mut self) -> Option<Mut<'_, R>> {
        self.world.get_resource_mut()
    }

    /// Writes a message, and returns its id.
    pub fn write_message<M: Message>(&mut self, message: M) -> MessageId<M> {
        self.world.write_message(message)
    }
}
