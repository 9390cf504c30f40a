//! Spawners for entities that are linked to a target.
//!
//! Tests: tests/relationships/bundles.rs, tests/relationships/commands.rs

use core::marker::PhantomData;

use crate::entity::Entity;
use crate::relations::hierarchy::ChildOf;
use crate::relations::relationship::Relationship;
use crate::structure::bundle::Bundle;
use crate::structure::store::WorldId;
use crate::system::commands::{Commands, EntityCommands};
use crate::world::cast::World;
use crate::world::entity_mut::EntityWorldMut;

/// Spawns children. The function passed to [`EntityWorldMut::with_children`] gets such a spawner.
pub type ChildSpawner<'w> = RelatedSpawner<'w, ChildOf>;

/// Records commands that spawn children. The function passed to [`EntityCommands::with_children`] gets such a spawner.
pub type ChildSpawnerCommands<'w> = RelatedSpawnerCommands<'w, ChildOf>;

/// Panics if `world` is not the world of the target.
#[track_caller]
pub(in crate::world) fn expect_same_world(world: &World, of: WorldId, target: Entity) {
    assert!(
        of == world.id(),
        "entity {target} gets no more sources: its world was exchanged for another one while they were spawned"
    );
}

/// Spawns entities that are linked to a target by `R`.
pub struct RelatedSpawner<'w, R: Relationship> {
    target: Entity,
    /// The id of the world of the target. A command of an observer may replace the world by another one.
    of: WorldId,
    world: &'w mut World,
    marker: PhantomData<R>,
}

impl<'w, R: Relationship> RelatedSpawner<'w, R> {
    /// Creates a spawner for a target in this world.
    pub fn new(world: &'w mut World, target: Entity) -> Self {
        Self { target, of: world.id(), world, marker: PhantomData }
    }

    /// Spawns an entity that is linked to the target.
    ///
    /// # Panics
    ///
    /// If a command of an observer has replaced the world by another one.
    #[track_caller]
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityWorldMut<'_> {
        expect_same_world(self.world, self.of, self.target);
        self.world.spawn((R::from(self.target), bundle))
    }

    /// Spawns an entity without other components that is linked to the target.
    ///
    /// # Panics
    ///
    /// Same as [`spawn`](Self::spawn).
    #[track_caller]
    pub fn spawn_empty(&mut self) -> EntityWorldMut<'_> {
        expect_same_world(self.world, self.of, self.target);
        self.world.spawn(R::from(self.target))
    }

    /// Returns the target to which the spawned entities are linked.
    #[must_use]
    pub fn target_entity(&self) -> Entity {
        self.target
    }

    /// Returns the world of the target.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    /// Returns the world of the target, borrowed mutably.
    pub fn world_mut(&mut self) -> &mut World {
        self.world
    }
}

impl_debug_of_fields! { [R: Relationship] RelatedSpawner<'_, R> { target } }

/// Records commands that spawn entities which are linked to a target by `R`.
pub struct RelatedSpawnerCommands<'w, R: Relationship> {
    target: Entity,
    commands: Commands<'w, 'w>,
    marker: PhantomData<R>,
}

impl<'w, R: Relationship> RelatedSpawnerCommands<'w, R> {
    /// Creates a spawner for a target.
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

    /// Returns the target to which the spawned entities are linked.
    #[must_use]
    pub fn target_entity(&self) -> Entity {
        self.target
    }

    /// Returns the commands, with a shorter lifetime.
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.commands.reborrow()
    }

    /// Returns the underlying commands.
    pub fn commands_mut(&mut self) -> &mut Commands<'w, 'w> {
        &mut self.commands
    }

    /// Borrows the spawner again, with a shorter lifetime. Use it to pass the spawner by value to a function.
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
