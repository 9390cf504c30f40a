//! Methods of entities and entity commands that clone and move components.
//!
//! Tests: tests/storage/cloning.rs, tests/relationships/clones.rs

use super::{EntityCloner, EntityClonerBuilder, OptIn, OptOut};
use crate::entity::Entity;
use crate::structure::bundle::Bundle;
use crate::structure::store::CloneError;
use crate::system::commands::EntityCommands;
use crate::world::cast::World;
use crate::world::entity_mut::EntityWorldMut;

/// Builds a cloner of all components, with the configuration that a function of the user makes.
fn opt_out(world: &mut World, config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>)) -> EntityCloner {
    let mut builder = EntityCloner::build_opt_out(world);
    config(&mut builder);
    builder.finish()
}

/// Builds a cloner of the allowed components, with the configuration that a function of the user makes.
fn opt_in(world: &mut World, config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>)) -> EntityCloner {
    let mut builder = EntityCloner::build_opt_in(world);
    config(&mut builder);
    builder.finish()
}

impl EntityWorldMut<'_> {
    /// Copies all components to another entity, except those that a function denies.
    ///
    /// # Errors
    ///
    /// Same as [`EntityCloner::clone_entity`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component)]
    /// # struct Connection;
    ///
    /// let mut world = World::new();
    /// let target = world.spawn_empty().id();
    /// let mut source = world.spawn((Health(3), Connection)); // A connection cannot be cloned.
    /// source.clone_with_opt_out(target, |builder| _ = builder.deny::<Connection>()).unwrap();
    /// assert_eq!(world.get(target), Some(&Health(3)));
    /// ```
    pub fn clone_with_opt_out(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>),
    ) -> Result<&mut Self, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_out(world, config).clone_entity(world, source, target))?;
        Ok(self)
    }

    /// Copies the components that a function allows to another entity, and those of their required components that the
    /// target lacks.
    ///
    /// # Errors
    ///
    /// Same as [`EntityCloner::clone_entity`].
    pub fn clone_with_opt_in(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>),
    ) -> Result<&mut Self, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_in(world, config).clone_entity(world, source, target))?;
        Ok(self)
    }

    /// Spawns an entity with clones of all components except those that a function denies, and returns its id.
    ///
    /// # Errors
    ///
    /// Same as [`EntityCloner::spawn_clone`].
    pub fn clone_and_spawn_with_opt_out(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>),
    ) -> Result<Entity, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_out(world, config).spawn_clone(world, source))
    }

    /// Spawns an entity with clones of the components that a function allows and those that they require, and returns its id.
    ///
    /// # Errors
    ///
    /// Same as [`EntityCloner::spawn_clone`].
    pub fn clone_and_spawn_with_opt_in(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>),
    ) -> Result<Entity, CloneError> {
        let source = self.expect_target();
        self.world_scope(|world| opt_in(world, config).spawn_clone(world, source))
    }
}

impl EntityWorldMut<'_> {
    /// Moves components of this entity to `target`: those of a bundle, and the components that they require if the
    /// target lacks these. Components that this entity does not have are skipped. See
    /// [`EntityClonerBuilder::move_components`].
    ///
    /// # Errors
    ///
    /// If one of the two entities is not alive.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Sword(u32);
    ///
    /// let mut world = World::new();
    /// let heir = world.spawn_empty().id();
    /// let mut knight = world.spawn(Sword(3));
    /// knight.move_components::<Sword>(heir).unwrap();
    /// assert!(!knight.contains::<Sword>());
    /// assert_eq!(world.get(heir), Some(&Sword(3)));
    /// ```
    pub fn move_components<B: Bundle>(&mut self, target: Entity) -> Result<&mut Self, CloneError> {
        self.clone_with_opt_in(target, |builder| _ = builder.allow::<B>().move_components(true))
    }
}

impl EntityCommands<'_> {
    /// Moves components of a bundle to `target`, like [`EntityWorldMut::move_components`]. Errors are reported like
    /// those of other commands.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn move_components<B: Bundle>(&mut self, target: Entity) -> &mut Self {
        self.clone_with_opt_in(target, |builder| _ = builder.allow::<B>().move_components(true))
    }

    /// Spawns an entity, and records a command that clones the components into it.
    #[cfg_attr(feature = "track_location", track_caller)]
    fn spawn_clone(
        &mut self,
        clone: impl FnOnce(&mut World, Entity, Entity) -> Result<(), CloneError> + Send + 'static,
    ) -> EntityCommands<'_> {
        let (source, commands) = (self.id(), self.commands_mut());
        let target = commands.spawn_empty().id();
        commands.queue(move |world: &mut World| clone(world, source, target));
        commands.entity(target)
    }

    /// Copies all components to another entity, except those that a function denies. If a component cannot be cloned,
    /// nothing changes, and the error is reported like those of other commands.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let target = world.spawn_empty().id();
    /// let mut commands = world.commands();
    /// commands.spawn((Health(3), Mana(7))).clone_with_opt_out(target, |builder| _ = builder.deny::<Mana>());
    /// world.flush();
    /// assert_eq!((world.get(target), world.entity(target).contains::<Mana>()), (Some(&Health(3)), false));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_with_opt_out(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>) + Send + 'static,
    ) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| entity.clone_with_opt_out(target, config).map(drop))
    }

    /// Copies the components that a function allows to another entity, like [`clone_with_opt_out`](Self::clone_with_opt_out).
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_with_opt_in(
        &mut self,
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>) + Send + 'static,
    ) -> &mut Self {
        self.queue(move |mut entity: EntityWorldMut<'_>| entity.clone_with_opt_in(target, config).map(drop))
    }

    /// Spawns an entity with clones of all components, and returns the commands for it. If a component cannot be
    /// cloned, the new entity has no components, and the error is reported as by
    /// [`clone_with_opt_out`](Self::clone_with_opt_out). The clone is an exact copy, as with [`World::clone_entity`]: a
    /// component that the original lacks is not constructed.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn(&mut self) -> EntityCommands<'_> {
        self.spawn_clone(|world, source, target| {
            let mut cloner = EntityCloner::build_opt_out(world).finish();
            cloner.is_exact = true;
            cloner.clone_entity(world, source, target)
        })
    }

    /// Spawns an entity with clones of all components except those that a function denies. Like
    /// [`clone_and_spawn`](Self::clone_and_spawn).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Clone, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Clone)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let source = world.spawn((Health(3), Mana(7))).id();
    /// let mut commands = world.commands();
    /// let mut source = commands.entity(source);
    /// let clone = source.clone_and_spawn_with_opt_out(|builder| _ = builder.deny::<Mana>()).id();
    /// world.flush();
    /// assert_eq!((world.get(clone), world.entity(clone).contains::<Mana>()), (Some(&Health(3)), false));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn_with_opt_out(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>) + Send + 'static,
    ) -> EntityCommands<'_> {
        self.spawn_clone(|world, source, target| opt_out(world, config).clone_entity(world, source, target))
    }

    /// Spawns an entity with clones of the components that a function allows, and those that they require. Like
    /// [`clone_and_spawn`](Self::clone_and_spawn).
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn clone_and_spawn_with_opt_in(
        &mut self,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>) + Send + 'static,
    ) -> EntityCommands<'_> {
        self.spawn_clone(|world, source, target| opt_in(world, config).clone_entity(world, source, target))
    }
}
