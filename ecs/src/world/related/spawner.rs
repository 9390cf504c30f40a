//! Spawning entities that are linked to one.

use core::marker::PhantomData;

use crate::bundle::Bundle;
use crate::command::{Commands, EntityCommands};
use crate::entity::Entity;
use crate::hierarchy::ChildOf;
use crate::relationship::Relationship;
use crate::store::WorldId;
use crate::world::cast::World;
use crate::world::entity_mut::EntityWorldMut;

/// Spawns children: what [`EntityWorldMut::with_children`] gives its function.
pub type ChildSpawner<'w> = RelatedSpawner<'w, ChildOf>;

/// Records spawns of children: what [`EntityCommands::with_children`] gives its function.
pub type ChildSpawnerCommands<'w> = RelatedSpawnerCommands<'w, ChildOf>;

/// Entities are linked to a target only in its world.
#[track_caller]
pub(in crate::world) fn expect_same_world(world: &World, of: WorldId, target: Entity) {
    assert!(
        of == world.id(),
        "entity {target} gets no more sources: its world was exchanged for another one while they were spawned"
    );
}

/// Spawns entities that are linked to one by `R`.
pub struct RelatedSpawner<'w, R: Relationship> {
    target: Entity,
    /// The world of the target. A command of an observer may exchange it for another one.
    of: WorldId,
    world: &'w mut World,
    marker: PhantomData<R>,
}

impl<'w, R: Relationship> RelatedSpawner<'w, R> {
    /// For an entity of a world.
    pub fn new(world: &'w mut World, target: Entity) -> Self {
        Self { target, of: world.id(), world, marker: PhantomData }
    }

    /// Spawns an entity that is linked to the target.
    ///
    /// # Panics
    ///
    /// If the world has been exchanged for another one, by a command of an observer.
    #[track_caller]
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityWorldMut<'_> {
        expect_same_world(self.world, self.of, self.target);
        self.world.spawn((R::from(self.target), bundle))
    }

    /// Spawns an entity without other components that is linked to the target.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    #[track_caller]
    pub fn spawn_empty(&mut self) -> EntityWorldMut<'_> {
        expect_same_world(self.world, self.of, self.target);
        self.world.spawn(R::from(self.target))
    }

    /// The entity to which those that are spawned are linked.
    #[must_use]
    pub fn target_entity(&self) -> Entity {
        self.target
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    /// The world.
    pub fn world_mut(&mut self) -> &mut World {
        self.world
    }
}

impl_debug_of_fields! { [R: Relationship] RelatedSpawner<'_, R> { target } }

/// Records spawns of entities that are linked to one by `R`.
pub struct RelatedSpawnerCommands<'w, R: Relationship> {
    target: Entity,
    commands: Commands<'w, 'w>,
    marker: PhantomData<R>,
}

impl<'w, R: Relationship> RelatedSpawnerCommands<'w, R> {
    /// For an entity.
    #[must_use]
    pub fn new(commands: Commands<'w, 'w>, target: Entity) -> Self {
        Self { target, commands, marker: PhantomData }
    }

    /// Spawns an entity that is linked to the target.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityCommands<'_> {
        self.commands.spawn((R::from(self.target), bundle))
    }

    /// Spawns an entity without other components that is linked to the target.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn spawn_empty(&mut self) -> EntityCommands<'_> {
        self.commands.spawn(R::from(self.target))
    }

    /// The entity to which those that are spawned are linked.
    #[must_use]
    pub fn target_entity(&self) -> Entity {
        self.target
    }

    /// The commands, for others.
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.commands.reborrow()
    }

    /// The commands, for others.
    pub fn commands_mut(&mut self) -> &mut Commands<'w, 'w> {
        &mut self.commands
    }

    /// The same spawner, for a shorter time: for a function that takes it by value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::world::ChildSpawnerCommands;
    ///
    /// fn spawn_two(mut children: ChildSpawnerCommands) {
    ///     children.spawn_empty();
    ///     children.spawn_empty();
    /// }
    /// let mut world = World::new();
    /// let parent = world.spawn_empty().id();
    /// world.commands().entity(parent).with_children(|children| {
    ///     spawn_two(children.reborrow());
    ///     spawn_two(children.reborrow());
    /// });
    /// world.flush();
    /// assert_eq!(world.get::<Children>(parent).unwrap().len(), 4);
    /// ```
    pub fn reborrow(&mut self) -> RelatedSpawnerCommands<'_, R> {
        RelatedSpawnerCommands::new(self.commands.reborrow(), self.target)
    }
}

impl_debug_of_fields! { [R: Relationship] RelatedSpawnerCommands<'_, R> { target } }
