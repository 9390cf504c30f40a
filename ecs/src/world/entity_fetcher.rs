//! Access to the entities of a world that can be used together with commands.
//!
//! Tests: tests/commands/entities_beside.rs

use super::cast::World;
use super::entity_fetch::WorldEntityFetch;
use crate::entity::EntityError;
use crate::query::change::WriteEntities;
use crate::system::commands::{self, Commands};

/// Access to the components of all entities, without structural changes. Made by [`World::entities_and_commands`].
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
///
/// let mut world = World::new();
/// let ids = [1, 2].map(|points| world.spawn(Health(points)).id());
/// let (mut entities, _) = world.entities_and_commands();
/// let [mut from, mut to] = entities.get_mut(ids).unwrap();
/// to.get_mut::<Health>().unwrap().0 += from.get_mut::<Health>().unwrap().0;
/// assert_eq!(entities.get(ids[1]).unwrap().get(), Some(&Health(3)));
/// ```
pub struct EntityFetcher<'w>(WriteEntities<'w>);

impl EntityFetcher<'_> {
    /// Returns read access to one entity or several, like [`World::get_entity`].
    ///
    /// # Errors
    ///
    /// If an entity is not alive. The error is about the first such entity.
    pub fn get<E: WorldEntityFetch>(&self, entities: E) -> Result<E::Ref<'_>, EntityError> {
        entities.fetch_ref(World::from_store(self.0.store()))
    }

    /// Returns mutable access to the components of one entity or several.
    ///
    /// # Errors
    ///
    /// If an entity is not alive, or occurs twice. The error is about the first such entity.
    pub fn get_mut<E: WorldEntityFetch>(&mut self, entities: E) -> Result<E::DeferredMut<'_>, E::MutError> {
        entities.fetch_deferred_mut(self.0.reborrow())
    }
}

impl_debug_of_fields! { [] EntityFetcher<'_> {} }

impl World {
    /// Splits the world into access to the components of its entities, and commands that are applied by the next [`World::flush`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Targets(Vec<Entity>);
    /// #[derive(Component, Debug, PartialEq)]
    /// struct TargetedBy(Entity);
    ///
    /// let mut world = World::new();
    /// let target = world.spawn_empty().id();
    /// let archer = world.spawn(Targets(vec![target])).id();
    /// let (entities, mut commands) = world.entities_and_commands();
    /// for &target in &entities.get(archer).unwrap().get::<Targets>().unwrap().0 {
    ///     commands.entity(target).insert(TargetedBy(archer));
    /// }
    /// world.flush();
    /// assert_eq!(world.get(target), Some(&TargetedBy(archer)));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn entities_and_commands(&mut self) -> (EntityFetcher<'_>, Commands<'_, '_>) {
        self.store.flush();
        let system = self.store.structure.entities.caller().system_name();
        let apply = |queue: &mut _, store: &mut _| commands::apply(queue, store, None);
        let (entities, queue) = WriteEntities::with_queue(&mut self.store, apply);
        let commands = Commands::from_parts(queue, entities.ids(), system);
        (EntityFetcher(entities), commands)
    }

    /// Turns reserved ids into entities, and returns mutable access to the components of the entities.
    pub(super) fn write_entities(&mut self) -> WriteEntities<'_> {
        self.store.flush();
        WriteEntities::new(&mut self.store)
    }
}
